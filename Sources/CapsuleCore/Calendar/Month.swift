/// A month of the year; January is 1.
package enum Month: Int, CaseIterable, Hashable, Sendable {
  case january = 1
  case february, march, april, may, june
  case july, august, september, october, november, december

  /// The English name: `January`.
  package var name: String {
    switch self {
    case .january: "January"
    case .february: "February"
    case .march: "March"
    case .april: "April"
    case .may: "May"
    case .june: "June"
    case .july: "July"
    case .august: "August"
    case .september: "September"
    case .october: "October"
    case .november: "November"
    case .december: "December"
    }
  }

  /// The first three letters of the name: `Jan`.
  package var shortName: String {
    String(Substring(name.utf8.prefix(3)))
  }

  /// Reads a lower-case word: the name in full, by three letters, or as `sept`.
  package init?(word: String) {
    switch word {
    case "jan", "january": self = .january
    case "feb", "february": self = .february
    case "mar", "march": self = .march
    case "apr", "april": self = .april
    case "may": self = .may
    case "jun", "june": self = .june
    case "jul", "july": self = .july
    case "aug", "august": self = .august
    case "sep", "sept", "september": self = .september
    case "oct", "october": self = .october
    case "nov", "november": self = .november
    case "dec", "december": self = .december
    default: return nil
    }
  }
}
