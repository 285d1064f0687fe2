import CapsuleCore

/// The nearest of the words that were possible.
enum Suggestion {
  /// Returns the nearest word by edits, if it is near enough to have been meant, else the only one
  /// that was begun: `compl` for `completions`.
  static func nearest(to word: String, in words: [String]) -> String? {
    let count = word.unicodeScalars.count
    let limit = max(1, count / 3)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = EditDistance.between(
        word.lowercased(), candidate.lowercased(), limit: limit)
      if distance <= limit, distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    if let best { return best.word }
    let begun = words.filter { count >= 2 && $0.utf8.starts(with: word.utf8) }
    return begun.count == 1 ? begun.first : nil
  }
}

/// Names, each with the words that stand for it, which are written with commas between them.
struct Synonyms: ExpressibleByDictionaryLiteral, Sendable {
  let words: [String: [String]]

  init(dictionaryLiteral rows: (String, String)...) {
    words = Dictionary(uniqueKeysWithValues: rows.map { ($0, $1.parts(at: ",").map(\.trimmed)) })
  }

  /// Returns the names that a word stands for, in the order of the alphabet.
  func names(of word: String) -> [String] {
    words.filter { $0.value.contains(word) }.map(\.key).sorted()
  }
}

/// Words that people know from other programs, and names that commands had before. Some are taken for the name that
/// a command has here; the others are offered when a command line is refused, whatever their capitals.
struct FamiliarNames: Sendable {
  /// Words that are taken for a command, or for a noun, by its name here: a word alone, or a noun and a verb.
  var taken: Synonyms = [:]
  /// Words that are taken for the verb of any noun that has it, by the verb.
  var takenVerbs: Synonyms = [:]
  /// Words for a first word of the command line, or for the first two, by the words that name what is meant. A
  /// star stands for what is before the last dot.
  var commands: Synonyms = [:]
  /// Words for the verb of a noun, by the verb.
  var verbs: Synonyms = [:]
  /// Words for an option, by its name, without hyphens.
  var options: Synonyms = [:]

  /// Returns the command or the noun that a word is taken for.
  func taken(_ word: String) -> String? { taken.names(of: word).first }

  /// Returns the verb of a noun that a word behind it is taken for.
  func taken(_ word: String, behind noun: String, among verbs: [String]) -> String? {
    taken("\(noun) \(word)").map { String($0.dropFirst(noun.count + 1)) }
      ?? takenVerbs.names(of: word).first(where: verbs.contains)
  }

  /// Returns what a word that names no command is called here.
  func command(_ word: String) -> String? { commands.names(of: word.lowercased()).first }

  /// Returns what a word behind a noun that is no verb of it is called here.
  func command(_ word: String, behind noun: String, among verbs: [String]) -> String? {
    let ending = word.parts(at: ".").dropFirst().last
    return command("\(noun) \(word)") ?? ending.flatMap { command("\(noun) *.\($0)") }
      ?? self.verbs.names(of: word.lowercased()).first(where: verbs.contains)
  }

  /// Returns the first of some options that a word may stand for.
  func option(
    _ word: String, among options: Parameters
  ) -> (any ParameterDeclaration)? {
    options.first { self.options.words[$0.name]?.contains(word.lowercased()) ?? false }
  }
}

extension FamiliarNames {
  /// The names in git, jq, password managers, to-do lists and file tools for what `capsule` has.
  static let capsule = FamiliarNames(
    taken: [
      "create": "new",
      "list": "ls",
      "open": "cat",
      "delete": "rm",
      "search": "find",
      "settings": "config",
      "beneficiary": "person",
      "event done": "done",
      "sync clone": "sync join",
      "store remember": "store hold",
      "store forget": "store release",
      "trustees verify": "trustees check",
    ],
    takenVerbs: [
      "list": "ls",
      "add": "new",
      "make": "new",
      "show": "cat",
      "delete": "rm",
      "unset": "rm",
    ],
    commands: [
      "create": "make, lock, write, bury, init, touch, save",
      "list": "all, dir, capsules",
      "show": "info, inspect, stat, describe, details",
      "open": "unlock, reveal, read, extract, get",
      "countdown": "timer, watch, wait",
      "add": "put, append, attach, insert",
      "edit": "change, update, modify, rename, set, mv, postpone, tag",
      "delete": "remove, del, erase, destroy",
      "restore": "undelete, recover, unrm",
      "purge": "gc, prune, clean, empty",
      "event": "events, birthday, anniversary, deadline",
      "item": "items, thing, things, object, inventory, asset",
      "beneficiary": "beneficiaries, people, contact, contacts, heir, heirs",
      "bequest": "bequests, gift, gifts, legacy",
      "bequeath": "leave, will, give, inherit, bequest add, bequest new",
      "deliver": "handover, hand-over, send",
      "passing": "death, died",
      "switch": "deadman, dead-man, dms, heartbeat, inactive",
      "switch checkin": "checkin, check-in, alive, ping",
      "agenda": "calendar, cal, timeline, week, upcoming",
      "next": "soonest",
      "search": "grep, locate",
      "since": "ago, last",
      "status": "bar, st",
      "check": "due, cron, notify, remind",
      "seal": "encrypt",
      "unseal": "decrypt",
      "keygen": "key, keys, genkey, age-keygen",
      "export ics": "ics, ical, event export, export calendar",
      "beneficiary import": "vcf, vcard, import *.vcf",
      "beneficiary list": "beneficiary export",
      "event import": "import *.ics",
      "item import": "import *.csv",
      "import archive": "import *.tar, import *.age",
      "item export": "csv, export csv, item csv",
      "item log": "reset, item reset",
      "sync": "push, pull",
      "sync clone": "clone",
      "verify": "fsck, doctor, scrub",
      "repair": "fix, mend, rebuild",
      "versions": "history, revisions",
      "backup": "snapshot, snapshots, copy",
      "settings": "configure, preferences, prefs, options, setting",
      "completions": "completion, complete",
      "help": "man-page, usage, ?",
    ],
    verbs: [
      "add": "new, create, make, insert, put",
      "list": "ls, all",
      "show": "info, inspect, view, get, cat, describe, open",
      "edit": "change, update, modify, rename, set, mv",
      "delete": "rm, remove, del, erase, destroy",
      "get": "show, view, cat",
      "make": "add, new, create",
      "set": "edit, change, add, on, enable",
      "remove": "rm, delete, del, disconnect",
      "unset": "reset, delete, rm, remove, default",
      "done": "complete, finish, check, met",
      "log": "do, done, did, entry",
      "unlog": "undo",
      "attach": "add-file, photo, file, upload",
      "detach": "remove-file",
      "media": "files, photos, attachments",
      "remind": "reminder, every, schedule",
      "totals": "total, sum, value, worth",
      "import": "load",
      "mark": "sent, accepted, declined, state",
      "revoke": "cancel, withdraw",
      "declare": "set, add",
      "withdraw": "revoke, unset, undo",
      "ics": "ical, calendar, icalendar",
    ],
    options: [
      "unlock": "on, date, at, when, until, open, opens, due, unlock-at, for, in",
      "on": "date, at, when, day, unlock, until, due, time, in",
      "when": "on, date, at, time, since",
      "access-after": "on, date, after, from, when, at, until",
      "access": "rule, upon-passing, immediate",
      "text-color": "color, colour, text-colour",
      "text": "message, body, content, letter, t",
      "message": "text, note, notes, letter",
      "notes": "note, description, comment, message, details",
      "description": "notes, note, comment, desc",
      "title": "name, subject, rename",
      "name": "title, rename",
      "file": "attach, attachment, input, content, path",
      "edit": "editor, interactive",
      "tag": "tags, label, labels, category, add-tag",
      "untag": "remove-tag, no-tag",
      "output": "out, dir, directory, to, target, destination, file",
      "force": "overwrite, replace, yes",
      "yes": "force, confirm, assume-yes, no-confirm",
      "limit": "count, max, number, head, first, lines",
      "keep": "keep-last, limit",
      "sort": "order, order-by, sort-by, by",
      "reverse": "desc, descending, asc",
      "search": "query, grep, filter, find, match, text",
      "before": "until, to, end",
      "after": "since, from, start",
      "from": "since, start, after, begin",
      "to": "until, end, before, for, beneficiary, person, recipient",
      "older-than": "before, age, older",
      "repeat": "every, recur, recurring, recurrence, rrule, repeats",
      "every": "repeat, interval, each, period, in",
      "alert": "remind, reminder, alarm, notify, alerts",
      "no-alerts": "no-alarms, without-alerts",
      "value": "amount, worth",
      "price": "cost, paid, purchase-price",
      "serial": "serial-number, sn",
      "bought-on": "purchased-on, purchase-date",
      "bought-from": "shop, seller, purchased-from",
      "warranty-until": "warranty, guarantee",
      "replacement-value": "replacement, insured, new-value",
      "quantity": "count, number, qty, pieces",
      "location": "place, where, room",
      "category": "type, kind, group",
      "relationship": "relation, role",
      "email": "mail, e-mail",
      "phone": "tel, telephone, mobile",
      "recipient": "to, public-key, pubkey, encrypt-to, key",
      "recipients-file": "recipient-file, keys-file",
      "identity": "key, private-key, secret-key, identity-file",
      "passphrase": "password, pass, symmetric",
      "passphrase-file": "password-file, pass-file",
      "passphrase-command": "password-command, pass-command",
      "timelock": "drand, tlock",
      "plain": "tsv, porcelain, no-header, raw",
      "raw": "binary, plain",
      "json": "format, output-format",
      "dry-run": "simulate, pretend, what-if, check, no-act",
      "exec": "command, run, hook",
      "once": "no-watch, no-live",
      "watch": "live, follow, continuous",
      "wait": "block",
      "format": "bar, type",
      "no-input": "non-interactive, batch, no-prompt, noninteractive",
      "quiet": "silent",
      "store": "repo, repository, dir, directory, db, database",
      "lock-timeout": "timeout, retry-lock",
      "allow-past": "past, allow-old",
    ])
}
