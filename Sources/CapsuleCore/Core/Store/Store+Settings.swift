/// `settings.json`.
package struct SettingsFile: StoreSubject {
  package let store: Store
}

extension SettingsFile {
  /// Reads the store's settings, and what is wrong with their file although it can be read; none are
  /// set where there is no file.
  ///
  /// - Throws: `.damaged` where they cannot be read at all, `.io`.
  package func read() throws(StoreError) -> (
    settings: StoreSettings, integrity: RecordDamage?
  ) {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try files.readFile(layout.settings, limit: 1 << 20)
    } catch {
      guard error.condition == .notFound || error.isOfKind else { throw .io(error) }
      guard let copy = store.copies.settings().first, let (fields, _) = try? RecordFile.decode(copy)
      else { return (StoreSettings(), error.isOfKind ? .notAnObject : nil) }
      return (StoreSettings(fields), .missing)
    }
    // One changed bit is put back, and more is taken from a copy; the damage is reported all the same.
    if let integrity = RecordFile.integrity(of: bytes) {
      let twins = store.copies.settings()
      let isReadable = (try? RecordFile.decode(bytes)) != nil
      let written =
        RecordFile.proven(bytes, twins: twins)?.bytes ?? (isReadable ? nil : twins.first)
      if let written, let (fields, damage) = try? RecordFile.decode(written), damage == nil {
        return (StoreSettings(fields), integrity)
      }
    }
    do throws(RecordDamage) {
      let (fields, integrity) = try RecordFile.decode(bytes)
      // A record, or the store's header, that lies here by mistake.
      for name in ["id", "format"] where fields[name] != nil {
        throw RecordDamage.field(FieldError(path: name, problem: .invalid("no setting")))
      }
      return (StoreSettings(fields), integrity)
    } catch {
      throw .damaged(error, path: layout.settings.text)
    }
  }

  /// Reads the settings as they were written; for what must not be guessed.
  ///
  /// - Throws: `.damaged`, `.io`.
  package func intact() throws(StoreError) -> StoreSettings {
    let (settings, integrity) = try read()
    if let integrity { throw .damaged(integrity, path: layout.settings.text) }
    return settings
  }

  /// Changes the settings under the lock; where `change` throws, nothing is written.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.damaged`, `.io`, `.busy`, `.newerFormat`, and the error of `change`.
  @discardableResult
  package func change(
    _ change: (inout StoreSettings) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreSettings {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    return try store.whileLocked { () throws(StoreError) in
      var settings = try intact()
      try change(&settings)
      let bytes = RecordFile.encode(settings.values)
      try storeIO { () throws(FileSystemError) in
        try files.replace(layout.settings, bytes, mode: 0o600, by: temporary)
      }
      store.copies.keep()
      return settings
    }
  }
}
