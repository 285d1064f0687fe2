package import CapsuleAge

/// Shares that PyPI's `shamir-mnemonic` 0.3.0 made.
package enum ForeignShares {
  /// Two of three.
  package static let twoOfThree = [
    """
    admit type academic acid anxiety medal prospect recall fragment dance pecan overall \
    plains cleanup evil vitamins disease fangs inside making symbolic worthy entrance \
    benefit total desire civil armed burden glasses havoc saver phrase
    """,
    """
    admit type academic agency airport spirit taxi spew furl profile upstairs slim \
    rumor repeat branch total identify eraser detailed priority rhythm aircraft salt \
    wits lunch general warn perfect smug yelp veteran penalty scroll
    """,
    """
    admit type academic always alien webcam axle industry trial custody arcade earth \
    hanger strike therapy spine repeat papa username round pleasure erode energy \
    penalty negative game medal frost organize observe knit flip subject
    """,
  ]
  package static let twoOfThreeSecret =
    "aecfb835075379421b70a962bef5a3061079ef31ee5c7538c9154665ff6894ba"

  /// Three of five.
  package static let threeOfFive = [
    """
    artwork lilac academic acne anatomy dominant iris program auction space again \
    agency benefit decorate process clock recall zero hospital traffic timely dream \
    domestic disease parcel texture pistol screw leaves always yield sled dryer
    """,
    """
    artwork lilac academic agree aquatic profile demand venture bumpy senior march \
    mental slow debut crucial modify dwarf member crazy legs racism hospital firm genre \
    axis herald glen replace year bracelet loud human scout
    """,
    """
    artwork lilac academic amazing adult envy legend fancy elbow buyer float aluminum \
    device grin carve hanger husky answer oven insect frozen python spine pulse benefit \
    taxi perfect response ocean privacy sister upgrade herald
    """,
    """
    artwork lilac academic arcade alcohol sweater scared auction flame alcohol smug \
    lift transfer grownup observe tadpole webcam kernel sugar busy aquatic taught \
    remind traffic payment home hour royal tidy puny race fancy mother
    """,
    """
    artwork lilac academic axle antenna idle hearing crush armed guitar wireless \
    hamster evidence smith hour upgrade envy often hormone mailman pickup leaves cinema \
    pancake faint stilt lily traffic armed cause loyalty writing flip
    """,
  ]
  package static let threeOfFiveSecret =
    "cfda53a5764486ccf71a3341b7d53cad16e0285bd545dcb565f0a42d733d7af5"

  /// Two of three groups: 1 of 1, 2 of 2 and 2 of 3, with exponent 1, the passphrase `TREZOR` and without
  /// the extendable flag.
  package static let grouped = [
    """
    clogs upstairs acrobat leader cradle flip forget spit radar enlarge single upstairs \
    remove lobe eyebrow primary bracelet papa group wrist
    """,
    """
    clogs upstairs beard leaf clothes oasis display always desire jacket scroll glasses \
    animal ancestor erode capacity fiber jewelry crystal stick
    """,
    """
    clogs upstairs beard lily arcade emphasis drink grownup herald sled evaluate extend \
    formal dance omit club blimp racism forward ceiling
    """,
    """
    clogs upstairs ceramic leaf charity mild clock husky location spit romantic leader \
    guilt move visual therapy surface rich eclipse mixture
    """,
    """
    clogs upstairs ceramic lily dining timely decorate edge rhythm order destroy client \
    short alien decorate intimate scatter volume merit miracle
    """,
    """
    clogs upstairs ceramic lungs armed lawsuit arena beyond puny emphasis salary \
    jewelry harvest pipeline ladle idle ticket single therapy away
    """,
  ]
  package static let groupedSecret = "03e4434b0957bfaca169fde1c1fef0d8"

  /// Reads a share from its words.
  package static func share(_ words: String) throws(Fault) -> Share {
    try Share(text: SecretBytes(copying: words.utf8))
  }
}
