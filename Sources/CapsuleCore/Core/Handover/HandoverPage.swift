/// A hand-over as one page of HTML that stands alone: no script, and nothing from outside its folder.
///
/// Every text from outside is an element of its own with its own direction, isolated from what
/// stands around it, and clipped to its box; its characters are all kept, also those that act on the
/// direction of text, because they end with the element.
package struct HandoverPage {
  private let handover: Handover

  package init(_ handover: Handover) {
    self.handover = handover
  }

  /// The page, in UTF-8.
  package var bytes: [UInt8] { Array(html.source.utf8) }

  /// The page may show its own style and the folder's images, sounds and films; nothing else. The
  /// scheme stands beside `'self'` because a page opened from a disk has no origin in some browsers.
  private static var policy: String {
    let style = Base64.encode(SHA256.hash(Array(style.utf8)), padded: true)
    return "default-src 'none'; style-src 'sha256-\(style)'; img-src 'self' file:; "
      + "media-src 'self' file:; base-uri 'none'; form-action 'none'"
  }

  private var html: HTML {
    Self.document(
      title: "For \(handover.person)", "\(header)\(contents)\(gifts)\(leftOut)\(footer)")
  }

  /// A page that stands alone, with the style and the policy of all of them.
  ///
  /// - Parameter title: the title of the window.
  static func document(title: String, _ body: HTML) -> HTML {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="robots" content="noindex">
    <title>\(plain(title))</title>
    <style>\(styleElement)</style>
    </head>
    <body>
    <main>
    \(body)</main>
    </body>
    </html>

    """
  }

  private static var styleElement: HTML { HTML(stringLiteral: style) }

  private var header: HTML {
    let from: HTML =
      handover.owner.isEmpty
      ? "" : "<p class=\"from\">from <bdi lang=\"\">\(handover.owner)</bdi></p>\n"
    let lead: HTML =
      handover.owner.isEmpty
      ? "This was set aside for you."
      : "<bdi lang=\"\">\(handover.owner)</bdi> set this aside for you."
    return """
      <header>
      <p class="for">For</p>
      <h1 dir="auto" lang="">\(handover.person)</h1>
      \(from)<p class="date">\(handover.date)</p>
      \(notBefore)<p class="lead">\(lead) Keep this folder together with all its files. The page works \
      without the internet.</p>
      </header>

      """
  }

  private var notBefore: HTML {
    guard !handover.notBefore.isEmpty else { return "" }
    return "<p class=\"date\">To be handed over on or after \(handover.notBefore)</p>\n"
  }

  /// A list of the gifts, where there are so many that one has to look for them.
  private var contents: HTML {
    guard handover.gifts.count > 2 else { return "" }
    var list: HTML = "<nav aria-label=\"Contents\">\n<ol>\n"
    for (index, gift) in handover.gifts.enumerated() {
      list +=
        "<li><a href=\"#gift-\(Int64(index + 1))\"><bdi lang=\"\">\(gift.title)</bdi></a></li>\n"
    }
    list += "</ol>\n</nav>\n"
    return list
  }

  private var gifts: HTML {
    var all: HTML = ""
    for (index, gift) in handover.gifts.enumerated() {
      all += GiftArticle(gift: gift, number: index + 1, owner: handover.owner).html
    }
    return all
  }

  private var leftOut: HTML {
    guard !handover.leftOut.isEmpty else { return "" }
    var list: HTML =
      "<section class=\"later\">\n<h2>Still to come</h2>\n<p>These are for you too, when their time comes:</p>\n<ul>\n"
    for gift in handover.leftOut {
      list += "<li><bdi lang=\"\">\(gift.title)</bdi><span> · \(gift.reason)</span></li>\n"
    }
    list += "</ul>\n</section>\n"
    return list
  }

  private var footer: HTML {
    """
    <footer>
    <p>The same text is in <a href="letter.txt">letter.txt</a>, without the pictures.</p>
    </footer>

    """
  }

  /// Returns a text for the title of a window, which knows no isolation: without characters that act
  /// or hide.
  static func plain(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
