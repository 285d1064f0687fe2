// Whoever uses the helpers of the store's tests has those of the rooms below, too.
@_exported public import RoomTestHelpers
@_exported public import StoreTestSupport
