import CapsuleAge
import TestSupport
import Testing

/// The word list of SLIP-0039.
@Suite struct WordListTests {
  @Test func `the words are those of SLIP-0039, in its order`() {
    // Of `slip-0039/wordlist.txt`: a word a line.
    let digest = SHA256.hash(Array(WordList.words.map { $0 + "\n" }.joined().utf8))
    expect(
      Hex.encode(digest), is: "bcc4555340332d169718aed8bf31dd9d5248cb7da6e5d355140ef4f1e601eec3")
  }

  @Test func `each word has the number of its place`() {
    for (number, word) in WordList.words.enumerated() {
      expect(WordList.index(of: word.utf8), is: number)
    }
  }

  @Test(arguments: ["", "a", "academi", "academics", "zzz", "Academic", "aardvark"])
  func `no other word has a number`(word: String) {
    expect(WordList.index(of: word.utf8) == nil)
  }
}
