/// Why a person's delivery was not made, or not marked as sent.
public enum DeliveryFailure: Error {
  /// The person has no age recipient to seal to.
  case noRecipient
  /// A record that it was planned by was changed while it was made: nothing of it is there, and it can be
  /// made anew.
  case changedMeanwhile
  /// Something has the name of the person's folder or archive already.
  case exists(path: String)
  /// The place of all deliveries is no directory.
  case notADirectory(path: String)
  /// A file of a gift could not be written from what the store has of it.
  case file(name: String, gift: String, cause: any Error)
  /// The delivery is whole, but these bequests could not be marked as sent.
  case unmarked([RecordID])
  case store(StoreError)
  case capsule(CapsuleError)
  /// A capsule that is left to the person is damaged.
  case opening(OpeningError)
  /// The system refused.
  case io(FileSystemError)
  case other(any Error)
}

extension DeliveryFailure {
  init(_ problem: any Error) {
    switch problem {
    case let error as DeliveryError: self.init(error)
    case let error as StoreError: self = .store(error)
    case let error as CapsuleError: self = .capsule(error)
    case let error as OpeningError: self = .opening(error)
    case let error as FileSystemError: self = .io(error)
    default: self = .other(problem)
    }
  }

  private init(_ error: DeliveryError) {
    switch error {
    case .noRecipient: self = .noRecipient
    case .changedMeanwhile: self = .changedMeanwhile
    case .exists(let path, _): self = .exists(path: path.text)
    case .notADirectory(let path): self = .notADirectory(path: path.text)
    case .file(let name, let gift, _, let cause):
      self = .file(name: name, gift: gift, cause: cause)
    case .unmarked(let bequests, _): self = .unmarked(bequests.map(\.bequest))
    // Of mail and of estates, which are none of this door's.
    case .noAddress, .unusableAddress, .mailTooLarge, .mailUnmarked, .capsuleFile, .wrongSize:
      self = .other(error)
    }
  }
}

extension PersonalDelivery {
  /// Why it could not be made, or not be marked as sent; `nil` where nothing stood in the way.
  public var failure: DeliveryFailure? { problem.map { DeliveryFailure($0) } }
}
