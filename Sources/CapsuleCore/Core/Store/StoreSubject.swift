/// A subject of a store, which the store hands out as a value: `store.trash`, `store.journal`.
package protocol StoreSubject: Sendable {
  var store: Store { get }
}

extension StoreSubject {
  var layout: StoreLayout { store.layout }
  var environment: StoreEnvironment { store.environment }
  var files: any FileSystem { store.files }
  var header: StoreHeader { store.header }
}
