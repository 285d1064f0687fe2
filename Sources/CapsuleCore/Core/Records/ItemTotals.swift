/// The worth of items together, by category and currency.
package struct ItemTotals: Sendable {
  /// The sums of one currency.
  package struct Row: Sendable {
    package let category: String
    package var items: Int64 = 0
    package var value: MoneySum
    package var replacement: MoneySum
  }

  private struct Key: Hashable {
    let category: NameKey
    let currency: Currency
  }

  private var rows: [Key: Row] = [:]
  /// The spelling of each category: of several one, whatever their order.
  private var names = CategoryNames()
  package private(set) var items: Int64 = 0
  /// The number of items that have neither a value nor a replacement value.
  package private(set) var withoutValue: Int64 = 0

  package init() {}

  /// Adds the worth of all pieces of an item.
  package mutating func add(_ item: ItemSummary) {
    items += 1
    let currencies = Set([item.value?.currency, item.replacementValue?.currency].compactMap { $0 })
    if currencies.isEmpty { withoutValue += 1 }
    let category = NameKey(item.category)
    names.add(item)
    for currency in currencies {
      let key = Key(category: category, currency: currency)
      var row =
        rows[key]
        ?? Row(category: "", value: MoneySum(currency), replacement: MoneySum(currency))
      row.items += 1
      if let money = item.value, money.currency == currency {
        row.value.add(money, times: item.quantity)
      }
      if let money = item.replacementValue, money.currency == currency {
        row.replacement.add(money, times: item.quantity)
      }
      rows[key] = row
    }
  }

  /// The sums by category, then by currency; items without a category stand last.
  package var byCategory: [Row] {
    rows.sorted { left, right in
      let (one, other) = (left.key.category.text, right.key.category.text)
      if one.isEmpty != other.isEmpty { return other.isEmpty }
      return (one, left.key.currency.code) < (other, right.key.currency.code)
    }.map { key, row in
      Row(
        category: names[key.category], items: row.items, value: row.value,
        replacement: row.replacement)
    }
  }

  /// The sums by currency alone.
  package var all: [Row] {
    var sums: [Currency: Row] = [:]
    for row in rows.values {
      let currency = row.value.currency
      var sum =
        sums[currency]
        ?? Row(category: "", value: MoneySum(currency), replacement: MoneySum(currency))
      sum.items += row.items
      sum.value.add(row.value)
      sum.replacement.add(row.replacement)
      sums[currency] = sum
    }
    return sums.sorted { $0.key.code < $1.key.code }.map(\.value)
  }
}
