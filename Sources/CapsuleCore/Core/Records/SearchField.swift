/// A text of a record, as a search looks through it.
package struct SearchField: Hashable, Sendable {
  /// The name of the text.
  package enum Name: String, Sendable {
    case title, name, notes, tags, description, category, location, media, history, reminder
    case relationship, email, phone, contact, message, delivery, image, holder
    /// A text in an opened capsule, a file's name there, and a caption.
    case content

    /// Whether it is what a record is called.
    package var isTitle: Bool { self == .title || self == .name }
  }

  package let name: Name
  package let text: String
  /// The time of an entry of a history.
  package let at: Instant?
  /// The number of a content, from 1.
  package let number: Int?

  package init(_ name: Name, _ text: String, at: Instant? = nil, number: Int? = nil) {
    self.name = name
    self.text = text
    self.at = at
    self.number = number
  }
}

extension Capsule {
  /// The title, the notes and the tags; the contents and their names are sealed.
  package var searchFields: [SearchField] {
    [SearchField(.title, title), SearchField(.notes, notes)]
      + tags.map { SearchField(.tags, $0) }
  }
}

extension Event {
  package var searchFields: [SearchField] {
    [SearchField(.title, title), SearchField(.notes, notes)]
      + (image.map { [SearchField(.image, $0.displayName)] } ?? [])
  }
}

extension Item {
  package var searchFields: [SearchField] {
    var fields = [
      SearchField(.name, name), SearchField(.description, description), SearchField(.notes, notes),
      SearchField(.category, category), SearchField(.location, location),
    ]
    fields += tags.map { SearchField(.tags, $0) }
    for medium in media {
      fields.append(SearchField(.media, medium.file.displayName))
      fields.append(SearchField(.media, medium.title))
    }
    fields += history.map { SearchField(.history, $0.notes, at: $0.at) }
    if let reminder { fields.append(SearchField(.reminder, reminder.name)) }
    return fields
  }
}

extension Beneficiary {
  package var searchFields: [SearchField] {
    [
      SearchField(.name, name), SearchField(.relationship, relationship),
      SearchField(.email, email), SearchField(.phone, phone), SearchField(.contact, contact),
      SearchField(.notes, notes),
    ]
  }
}

extension Bequest {
  /// The message and the notes of the delivery; the records that it names hold the other texts.
  package var searchFields: [SearchField] {
    [SearchField(.message, message)]
      + delivery.map { SearchField(.delivery, $0.notes, at: $0.at) }
  }
}

extension TrusteeGroup {
  package var searchFields: [SearchField] {
    [SearchField(.name, name)] + shares.map { SearchField(.holder, $0.holder) }
  }
}
