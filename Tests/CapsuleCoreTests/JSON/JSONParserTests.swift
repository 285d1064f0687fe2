import CapsuleBytes
import RoomTestHelpers
import TestSupport
import Testing

/// What the strict reader takes and what it refuses, after the kinds of cases that JSON parsers are
/// known to differ on.
@Suite struct JSONParserTests {
  /// Texts that are JSON, each with its compact form.
  static let accepted: [(String, String)] = [
    // Literals and white space.
    ("null", "null"), ("true", "true"), ("false", "false"), (" null ", "null"),
    ("\n\r\t true\n\r\t ", "true"), ("[]", "[]"), ("[ ]", "[]"), ("[\n]", "[]"), ("{}", "{}"),
    ("{ }", "{}"), ("{\t\r\n}", "{}"), (" [] ", "[]"), ("\n{}\n", "{}"), ("[null]", "[null]"),
    ("[true,false]", "[true,false]"), ("[ 1 , 2 ]", "[1,2]"), ("[[]]", "[[]]"), ("[{}]", "[{}]"),
    ("[[],[]]", "[[],[]]"), ("[[[]],{}]", "[[[]],{}]"), ("\t\"a\"\t", "\"a\""),
    // Integers.
    ("0", "0"), ("1", "1"), ("-1", "-1"), ("10", "10"), ("-10", "-10"), ("123456789", "123456789"),
    ("999999999999999999", "999999999999999999"), ("1000000000000000000", "1000000000000000000"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("-999999999999999999", "-999999999999999999"),
    // Numbers that are kept as they stand.
    ("-0", "-0"), ("0.0", "0.0"), ("-0.0", "-0.0"), ("1.0", "1.0"), ("1.50", "1.50"),
    ("0.1", "0.1"), ("123.456", "123.456"), ("1e1", "1e1"), ("1E1", "1E1"), ("1e+1", "1e+1"),
    ("1E+2", "1E+2"), ("1e-1", "1e-1"), ("0e0", "0e0"), ("0E+0", "0E+0"), ("-0e-0", "-0e-0"),
    ("1.5e300", "1.5e300"), ("1e999", "1e999"), ("-1e-999", "-1e-999"), ("1e01", "1e01"),
    ("0e1", "0e1"), ("123e45", "123e45"), ("123e-10000000", "123e-10000000"),
    ("9223372036854775808", "9223372036854775808"),
    ("-9223372036854775809", "-9223372036854775809"),
    ("100000000000000000000000000000", "100000000000000000000000000000"),
    ("18446744073709551616", "18446744073709551616"),
    ("3.141592653589793238462643383279", "3.141592653589793238462643383279"),
    ("[1,2.0,-3e4]", "[1,2.0,-3e4]"),
    ("1.0000000000000000000000000001", "1.0000000000000000000000000001"),
    // Strings.
    ("\"\"", "\"\""), ("\"a\"", "\"a\""), ("\" \"", "\" \""), ("\"12345678\"", "\"12345678\""),
    ("\"1234567\"", "\"1234567\""), ("\"123456789\"", "\"123456789\""),
    ("\"0123456789abcdef0123456789abcdef\"", "\"0123456789abcdef0123456789abcdef\""),
    ("\"é\"", "\"é\""), ("\"€\"", "\"€\""), ("\"𝄞\"", "\"𝄞\""), ("\"日本語\"", "\"日本語\""),
    ("\"1234567é\"", "\"1234567é\""), ("\"é12345678\"", "\"é12345678\""),
    ("\"\u{2028}\u{2029}\"", "\"\u{2028}\u{2029}\""), ("\"\u{feff}\"", "\"\u{feff}\""),
    ("\"\u{ffff}\"", "\"\u{ffff}\""), ("\"\u{10ffff}\"", "\"\u{10ffff}\""),
    ("\"\u{fffe}\"", "\"\u{fffe}\""), ("\"\u{7f}\"", #""\u007f""#), ("\"\u{80}\"", #""\u0080""#),
    ("\"\u{9f}\"", #""\u009f""#), ("\"\u{a0}\"", "\"\u{a0}\""), ("\"/\"", "\"/\""),
    ("\"//*#\"", "\"//*#\""), ("\"'\"", "\"'\""),
    // Escapes.
    (#""\"""#, #""\"""#), (#""\\""#, #""\\""#), (#""\/""#, #""/""#), (#""\b""#, #""\b""#),
    (#""\f""#, #""\f""#), (#""\n""#, #""\n""#), (#""\r""#, #""\r""#), (#""\t""#, #""\t""#),
    (#""\b\f\n\r\t\"\\\/""#, #""\b\f\n\r\t\"\\/""#), (#""\u0041""#, #""A""#),
    (#""\u0000""#, #""\u0000""#), (#""\u001f""#, #""\u001f""#), (#""\u001F""#, #""\u001f""#),
    (#""\u000a""#, #""\n""#), (#""\u0022""#, #""\"""#), (#""\u005C""#, #""\\""#),
    (#""\u00e9""#, "\"é\""), (#""\u20AC""#, "\"€\""), (#""\ud834\udd1e""#, "\"𝄞\""),
    (#""\uD834\uDD1E""#, "\"𝄞\""), (#""\uDBFF\uDFFF""#, "\"\u{10ffff}\""),
    (#""\uD800\uDC00""#, "\"\u{10000}\""), (#""\uFFFF""#, "\"\u{ffff}\""),
    (#""\uE000\uD7FF""#, "\"\u{e000}\u{d7ff}\""), (#""\u007f\u0085""#, #""\u007f\u0085""#),
    (#""\u2028""#, "\"\u{2028}\""), (#""a\u0041b""#, #""aAb""#), (#""\\u0041""#, #""\\u0041""#),
    (#""\\\\""#, #""\\\\""#), (#""\\\"""#, #""\\\"""#), (#""x\ny""#, #""x\ny""#),
    (
      #""long text before an escape \n and behind it""#,
      #""long text before an escape \n and behind it""#
    ),
    (#""\uabcd\uABCD\uAbCd""#, "\"\u{abcd}\u{abcd}\u{abcd}\""), (#""é\né""#, #""é\né""#),
    // Objects: sorted by bytes, apart by bytes.
    (#"{"a":1}"#, #"{"a":1}"#), (#"{ "a" : 1 , "b" : 2 }"#, #"{"a":1,"b":2}"#),
    (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#), (#"{"":0}"#, #"{"":0}"#),
    (#"{"a":1,"A":2}"#, #"{"A":2,"a":1}"#), (#"{"ab":1,"a":2,"b":3}"#, #"{"a":2,"ab":1,"b":3}"#),
    ("{\"\u{e9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{e9}\":1}"),
    ("{\"\u{10000}\":1,\"\u{ffff}\":2}", "{\"\u{ffff}\":2,\"\u{10000}\":1}"),
    (#"{"\u0061":1,"b":2}"#, #"{"a":1,"b":2}"#), (#"{"a\u0000":1,"a":2}"#, #"{"a":2,"a\u0000":1}"#),
    (#"{"a":{"a":{"a":{}}}}"#, #"{"a":{"a":{"a":{}}}}"#),
    (#"{"a":[{"b":[]}]}"#, #"{"a":[{"b":[]}]}"#),
    (
      #"{"c":1,"b":{"z":1,"y":2},"a":[]}"#,
      #"{"a":[],"b":{"y":2,"z":1},"c":1}"#
    ), (#"[{"a":1},{"a":1}]"#, #"[{"a":1},{"a":1}]"#),
    (#"{"a":"a","a ":"b"}"#, #"{"a":"a","a ":"b"}"#),
    (#"{"title":"A","tags":["x","y"],"rev":3}"#, #"{"rev":3,"tags":["x","y"],"title":"A"}"#),
  ]

  @Test(arguments: accepted.indices)
  func `what RFC 8259 allows is read`(index: Int) throws {
    let (text, compact) = Self.accepted[index]
    let value = try JSON.parse(text)
    expect(Array(compact.utf8), is: value.encoded(.compact), "\(text)")
    try expect(JSON.parse(value.encoded()), is: value, "\(text)")
  }

  /// Texts that are not JSON, why, and where.
  static let refused: [(String, JSONError.Kind, Int)] = [
    // Nothing, or too little.
    ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("\n", .unexpectedEnd, 1),
    ("[", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
    ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5),
    ("{\"a\":1", .unexpectedEnd, 6), ("{\"a\":1,", .unexpectedEnd, 7), ("\"", .unexpectedEnd, 1),
    ("\"abc", .unexpectedEnd, 4), ("\"12345678", .unexpectedEnd, 9), ("\"\\", .unexpectedEnd, 2),
    ("\"\\\"", .unexpectedEnd, 3), ("\"\\u", .unexpectedEnd, 3), ("\"\\u00", .unexpectedEnd, 5),
    ("n", .unexpectedEnd, 1), ("nul", .unexpectedEnd, 3), ("tru", .unexpectedEnd, 3),
    ("fals", .unexpectedEnd, 4), ("[[", .unexpectedEnd, 2), ("[\"a", .unexpectedEnd, 3),
    ("[{}", .unexpectedEnd, 3), ("{\"a\":[]", .unexpectedEnd, 7), ("[1 ", .unexpectedEnd, 3),
    ("{\"a\" ", .unexpectedEnd, 5), ("{\"a", .unexpectedEnd, 3),
    // Something that does not belong there.
    ("]", .unexpectedByte(0x5D), 0), ("}", .unexpectedByte(0x7D), 0),
    (",", .unexpectedByte(0x2C), 0),
    (":", .unexpectedByte(0x3A), 0), ("nUll", .unexpectedByte(0x55), 1),
    ("Null", .unexpectedByte(0x4E), 0), ("TRUE", .unexpectedByte(0x54), 0),
    ("trux", .unexpectedByte(0x78), 3), ("nan", .unexpectedByte(0x61), 1),
    ("NaN", .unexpectedByte(0x4E), 0), ("Infinity", .unexpectedByte(0x49), 0),
    ("inf", .unexpectedByte(0x69), 0), ("+1", .unexpectedByte(0x2B), 0),
    (".5", .unexpectedByte(0x2E), 0), ("'a'", .unexpectedByte(0x27), 0),
    ("a", .unexpectedByte(0x61), 0), ("undefined", .unexpectedByte(0x75), 0),
    ("[,1]", .unexpectedByte(0x2C), 1), ("[1,,2]", .unexpectedByte(0x2C), 3),
    ("[1 2]", .unexpectedByte(0x32), 3), ("[1;2]", .unexpectedByte(0x3B), 2),
    ("[1:2]", .unexpectedByte(0x3A), 2), ("[}", .unexpectedByte(0x7D), 1),
    ("[1}", .unexpectedByte(0x7D), 2), ("{]", .unexpectedByte(0x5D), 1),
    ("{\"a\":1]", .unexpectedByte(0x5D), 6), ("{,}", .unexpectedByte(0x2C), 1),
    ("{a:1}", .unexpectedByte(0x61), 1), ("{1:1}", .unexpectedByte(0x31), 1),
    ("{null:1}", .unexpectedByte(0x6E), 1), ("{'a':1}", .unexpectedByte(0x27), 1),
    ("{\"a\" 1}", .unexpectedByte(0x31), 5), ("{\"a\",1}", .unexpectedByte(0x2C), 4),
    ("{\"a\"=1}", .unexpectedByte(0x3D), 4), ("{\"a\":}", .unexpectedByte(0x7D), 5),
    ("{\"a\"::1}", .unexpectedByte(0x3A), 5), ("{:1}", .unexpectedByte(0x3A), 1),
    ("{\"a\":1 \"b\":2}", .unexpectedByte(0x22), 7),
    ("{\"a\":1,,\"b\":2}", .unexpectedByte(0x2C), 7),
    ("{\"a\":1,b:2}", .unexpectedByte(0x62), 7), ("{\"a\":1,2}", .unexpectedByte(0x32), 7),
    ("[\"a\" \"b\"]", .unexpectedByte(0x22), 5), ("[1//]", .unexpectedByte(0x2F), 2),
    ("/**/1", .unexpectedByte(0x2F), 0), ("//\n1", .unexpectedByte(0x2F), 0),
    ("#\n1", .unexpectedByte(0x23), 0), ("[/*x*/1]", .unexpectedByte(0x2F), 1),
    ("[\u{c}]", .unexpectedByte(0x0C), 1), ("\u{b}1", .unexpectedByte(0x0B), 0),
    ("[\u{a0}]", .unexpectedByte(0xC2), 1), ("\u{2060}1", .unexpectedByte(0xE2), 0),
    ("\u{0}", .unexpectedByte(0x00), 0), ("[\u{0}]", .unexpectedByte(0x00), 1),
    ("[a", .unexpectedByte(0x61), 1), ("{\"a\":b}", .unexpectedByte(0x62), 5),
    ("[1,\n1\n,1", .unexpectedEnd, 8), ("[-nan]", .invalidNumber, 2),
    ("*", .unexpectedByte(0x2A), 0),
    ("<.>", .unexpectedByte(0x3C), 0), ("[<null>]", .unexpectedByte(0x3C), 1),
    ("[\\n]", .unexpectedByte(0x5C), 1), ("\\u0041", .unexpectedByte(0x5C), 0),
    ("é", .unexpectedByte(0xC3), 0),
    ("$", .unexpectedByte(0x24), 0), ("@", .unexpectedByte(0x40), 0),
    ("(1)", .unexpectedByte(0x28), 0),
    ("[0x1]", .unexpectedByte(0x78), 2), ("[1_000]", .unexpectedByte(0x5F), 2),
    ("[1 000]", .unexpectedByte(0x30), 3), ("[1,2", .unexpectedEnd, 4),
    ("[0b1]", .unexpectedByte(0x62), 2),
    ("[1a]", .unexpectedByte(0x61), 2), ("[1.5f]", .unexpectedByte(0x66), 4),
    // A byte order mark, at the start only.
    ("\u{feff}", .byteOrderMark, 0), ("\u{feff}null", .byteOrderMark, 0),
    ("\u{feff}{}", .byteOrderMark, 0), (" \u{feff}{}", .unexpectedByte(0xEF), 1),
    // Something behind the end.
    ("null null", .trailingBytes, 5), ("1 2", .trailingBytes, 2), ("{}{}", .trailingBytes, 2),
    ("[]]", .trailingBytes, 2), ("{}}", .trailingBytes, 2), ("[],", .trailingBytes, 2),
    ("{},", .trailingBytes, 2), ("\"a\"b", .trailingBytes, 3), ("nullx", .trailingBytes, 4),
    ("truefalse", .trailingBytes, 4), ("[]\u{0}", .trailingBytes, 2), ("1\u{0}", .trailingBytes, 1),
    ("{}//", .trailingBytes, 2), ("{} #", .trailingBytes, 3), ("1a", .trailingBytes, 1),
    ("0x10", .trailingBytes, 1), ("1,", .trailingBytes, 1), ("\"\"\"\"", .trailingBytes, 2),
    ("{}\n<<<<<<< HEAD", .trailingBytes, 3), ("[]\u{feff}", .trailingBytes, 2),
    ("1-", .trailingBytes, 1),
    ("1+1", .trailingBytes, 1), ("1 .5", .trailingBytes, 2), ("- 1", .invalidNumber, 1),
    // Commas before a closing bracket.
    ("[1,]", .trailingComma, 2), ("[1, ]", .trailingComma, 2), ("[1,\n]", .trailingComma, 2),
    ("[[],]", .trailingComma, 3), ("{\"a\":1,}", .trailingComma, 6),
    ("{\"a\":1 , }", .trailingComma, 7), ("[\"a\",]", .trailingComma, 4),
    ("[{\"a\":1,}]", .trailingComma, 7), ("[1,2,]", .trailingComma, 4),
    // Keys twice, whatever stands between and however it is written.
    (#"{"a":1,"a":1}"#, .duplicateKey("a"), 7), (#"{"a":1,"b":2,"a":3}"#, .duplicateKey("a"), 13),
    (#"{"b":1,"a":2,"b":3}"#, .duplicateKey("b"), 13), (#"{"":1,"":2}"#, .duplicateKey(""), 6),
    (#"{"a":1,"\u0061":2}"#, .duplicateKey("a"), 7),
    (#"{"x":{"a":1,"a":2}}"#, .duplicateKey("a"), 12),
    (#"[{"a":{},"a":[]}]"#, .duplicateKey("a"), 9), (#"{"é":1,"\u00e9":2}"#, .duplicateKey("é"), 8),
    (#"{"c":0,"b":0,"a":0,"b":0}"#, .duplicateKey("b"), 19),
    (#"{"\n":0,"\u000a":0}"#, .duplicateKey("\n"), 8),
    (#"{"a":{"a":1},"a":1}"#, .duplicateKey("a"), 13),
    // Control characters in strings.
    ("\"\u{0}\"", .controlCharacter(0), 1), ("\"\n\"", .controlCharacter(10), 1),
    ("\"\t\"", .controlCharacter(9), 1), ("\"\r\"", .controlCharacter(13), 1),
    ("\"\u{1f}\"", .controlCharacter(31), 1), ("\"abc\u{1b}[0m\"", .controlCharacter(27), 4),
    ("\"12345678\u{1}\"", .controlCharacter(1), 9), ("{\"a\n\":1}", .controlCharacter(10), 3),
    ("\"1234567\u{0}\"", .controlCharacter(0), 8), ("\"é\n\"", .controlCharacter(10), 3),
    ("\"\\n\n\"", .controlCharacter(10), 3), ("\"abc\n", .controlCharacter(10), 4),
    // Escapes that there are not.
    (#""\a""#, .invalidEscape, 1), (#""\v""#, .invalidEscape, 1), (#""\0""#, .invalidEscape, 1),
    (#""\'""#, .invalidEscape, 1), (#""\x41""#, .invalidEscape, 1), (#""\ ""#, .invalidEscape, 1),
    (#""\U0041""#, .invalidEscape, 1), (#""\u""#, .unexpectedEnd, 4),
    (#""\u004""#, .invalidEscape, 1),
    (#""\u004g""#, .invalidEscape, 1), (#""\u 041""#, .invalidEscape, 1),
    (#""\u{41}""#, .invalidEscape, 1), (#""\u-041""#, .invalidEscape, 1),
    (#""a\qb""#, .invalidEscape, 2),
    (#""\u+041""#, .invalidEscape, 1), (#""\B""#, .invalidEscape, 1), (#""\N""#, .invalidEscape, 1),
    ("\"\\\n\"", .invalidEscape, 1), ("\"\\é\"", .invalidEscape, 1),
    ("\"\\u00é\"", .invalidEscape, 1),
    (#""\u00zz""#, .invalidEscape, 1), (#"{"\z":1}"#, .invalidEscape, 2),
    // Halves of surrogate pairs.
    (#""\ud800""#, .loneSurrogate, 1), (#""\udc00""#, .loneSurrogate, 1),
    (#""\udfff""#, .loneSurrogate, 1), (#""\uDBFF""#, .loneSurrogate, 1),
    (#""\ud800x""#, .loneSurrogate, 1), (#""\ud800\n""#, .loneSurrogate, 1),
    (#""\ud800\u0041""#, .loneSurrogate, 1), (#""\ud800\ud800""#, .loneSurrogate, 1),
    (#""\udc00\ud800""#, .loneSurrogate, 1), (#""\ud834\udd1e\ud834""#, .loneSurrogate, 13),
    (#""\ud800\ue000""#, .loneSurrogate, 1), (#""ab\ud800""#, .loneSurrogate, 3),
    (#""\ud800\""#, .loneSurrogate, 1), (#""\uD800\uD800\uDC00""#, .loneSurrogate, 1),
    (#"{"\udead":1}"#, .loneSurrogate, 2),
    // Numbers that the grammar does not have.
    ("-", .invalidNumber, 1), ("--1", .invalidNumber, 1), ("-a", .invalidNumber, 1),
    ("01", .invalidNumber, 0), ("00", .invalidNumber, 0), ("-01", .invalidNumber, 1),
    ("-00", .invalidNumber, 1), ("012.5", .invalidNumber, 0), ("1.", .invalidNumber, 2),
    ("1.e5", .invalidNumber, 2), ("-.5", .invalidNumber, 1), ("1e", .invalidNumber, 2),
    ("1e+", .invalidNumber, 3), ("1e-", .invalidNumber, 3), ("1E", .invalidNumber, 2),
    ("1e+-1", .invalidNumber, 3), ("1ee1", .invalidNumber, 2), ("1e.5", .invalidNumber, 2),
    ("-Infinity", .invalidNumber, 1), ("-inf", .invalidNumber, 1), ("[1.]", .invalidNumber, 3),
    ("[-]", .invalidNumber, 2), ("[01]", .invalidNumber, 1), ("1..2", .invalidNumber, 2),
    ("0.e1", .invalidNumber, 2), ("1.-5", .invalidNumber, 2), ("-é", .invalidNumber, 1),
    ("1e１", .invalidNumber, 2), ("1.a", .invalidNumber, 2), ("[1e]", .invalidNumber, 3),
    ("1e5.5", .trailingBytes, 3),
    ("1.2.3", .trailingBytes, 3), ("1e1e1", .trailingBytes, 3), ("１", .unexpectedByte(0xEF), 0),
  ]

  @Test(arguments: refused.indices)
  func `what RFC 8259 forbids is refused, by its kind and place`(index: Int) {
    let (text, kind, offset) = Self.refused[index]
    let error = expect(throws: JSONError.self, "\(text)") { try JSON.parse(text) }
    expect(error?.kind, is: kind, "\(text)")
    expect(error?.offset, is: offset, "\(text)")
  }

  /// Bytes that are not UTF-8, and where they go wrong in a string that begins with them.
  static let notUTF8: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80],
    [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80],
    [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
    [0xF0, 0x9F, 0x98, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
    [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC], [0xFE], [0xFF], [0xFF, 0xFE],
    [0xED, 0xA0, 0xB4, 0xED, 0xB4, 0x9E],
  ]

  @Test(arguments: notUTF8)
  func `bytes that are not UTF-8 are refused wherever they stand in a string`(bytes: [UInt8]) {
    for before in ["\"", "\"abc", "\"é", "\"12345678", "\"\\n", "{\"", "[1, \""] {
      let text = Array(before.utf8) + bytes + Array("\"".utf8)
      let error = expect(throws: JSONError.self) { try JSON.parse(text) }
      expect(error?.kind, is: .invalidUTF8)
      expect(error?.offset, is: before.utf8.count)
    }
    // Cut off by the end of the text.
    expect(throws: JSONError.self) { try JSON.parse(Array("\"".utf8) + bytes) }
    expect(throws: JSONError.self) { try JSON.parse(bytes) }
  }

  @Test func `arrays and objects may be 256 deep, and no deeper`() throws {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
      let levels = open.utf8.first == 0x5B && open.utf8.count > 1 ? 2 : 1
      let most = nested(256 / levels, open, close)
      try expect(JSON.parse(JSON.parse(most).encoded()), is: JSON.parse(most))
      let error = expect(throws: JSONError.self) {
        try JSON.parse(nested(256 / levels + 1, open, close))
      }
      expect(error?.kind, is: .tooDeep)
    }
    let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 10_000_000)
    let error = expect(throws: JSONError.self) { try JSON.parse(bomb) }
    expect(error?.offset, is: 256)
  }

  @Test func `an error tells the line and the column`() throws {
    let error = expect(throws: JSONError.self) {
      try JSON.parse("{\n  \"é\": 1,\n  \"é\": ?\n}")
    }
    expect(error?.line, is: 3)
    expect(error?.column, is: 9)
    let first = expect(throws: JSONError.self) { try JSON.parse("?") }
    expect(first?.line, is: 1)
    expect(first?.column, is: 1)
    let end = expect(throws: JSONError.self) { try JSON.parse("[\n") }
    expect(end?.line, is: 2)
    expect(end?.column, is: 1)
  }

  @Test func `a hundred thousand keys in reverse order are read in time`() throws {
    let keys = (0..<100_000).map { String(999_999 - $0) }
    let text = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    let object = try require(try JSON.parse(text).object)
    expect(object.count, is: 100_000)
    let isSorted = object.keys == keys.reversed()
    expect(isSorted)
  }
}

extension JSON {
  /// Reads one JSON text.
  static func parse(_ text: String) throws(JSONError) -> JSON {
    try parse(Array(text.utf8))
  }
}
