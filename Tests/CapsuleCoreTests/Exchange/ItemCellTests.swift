import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What becomes of the cells of a table of items.
@Suite struct ItemCellTests {
  private let files = SimulatedFileSystem()

  init() throws {
    try files.createDirectory(FilePath("/photos"), mode: 0o700)
    try files.setBytes("/photos/small.jpg", [UInt8](repeating: 1, count: 100))
    try files.setBytes("/photos/large.jpg", [UInt8](repeating: 1, count: 101))
    try files.setBytes("/other.jpg", [1])
  }

  private func step(_ header: String, _ cell: String) throws -> ImportStep<Item> {
    let text = "name;\(header)\nRing;\(cell)\n"
    let table = try ItemTable(CommaSeparated(Array(text.utf8)), map: [])
    let terms = ItemImport.Terms(
      currency: Currency("EUR"), directory: FilePath("/photos"), sources: [FilePath("/photos")],
      fileLimit: 100, now: StoreScenario.now)
    let plan = try ImportPlan(ItemImport(table, terms, files), into: nil, now: StoreScenario.now)
    return try require(plan.steps.first)
  }

  @Test(
    arguments: [
      ("value", "XXY 5", "value 'XXY 5': invalid currency code 'XXY'"),
      ("value", "EUR 92233720368547758.08", "value 'EUR 92233720368547758.08' is too large"),
      ("quantity", "2,", "quantity '2,' is not a whole number from 1 to 1000000000"),
      ("files", "large.jpg", "'/photos/large.jpg' is larger than 100 B, the setting 'maxFileSize'"),
      ("files", "../other.jpg", "'/photos/../other.jpg' is outside the directories of this import"),
    ])
  func `a line with a cell that cannot be read is refused`(
    column: String, cell: String, words: String
  ) throws {
    let step = try step(column, cell)
    expect(step.outcome.model == nil)
    expect(step.problems.map(\.words), is: [words])
  }

  @Test(
    arguments: [
      ("2,00", 2, []), ("2.0", 2, []), ("", 1, []),
      ("2,5", 2, ["quantity '2,5' is not a whole number, so 2 was used"]),
      ("0.5", 1, ["quantity '0.5' is not a whole number, so 1 was used"]),
    ])
  func `a quantity with decimals counts the whole ones`(
    cell: String, count: Int64, said: [String]
  ) throws {
    let step = try step("quantity", cell)
    expect(step.outcome.model?.quantity, is: count)
    expect(step.problems.map(\.words), is: said)
  }
}
