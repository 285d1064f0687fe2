/// The error of bytes that are not in the form that their reader knows, where nobody asks for more.
package struct Malformed: Error, Hashable {
  package init() {}
}
