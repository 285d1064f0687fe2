extension HelpTopic {
  /// Every topic, in the order of help.
  static let all: [HelpTopic] = []
}
