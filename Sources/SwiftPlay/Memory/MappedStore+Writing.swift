import Glibc
import SystemCalls

extension MappedStore {
    /// Stores a picture. When the file is full, the picture replaces the least recently used picture to which no
    /// ``MappedPicture`` refers.
    ///
    /// Computes a checksum and writes the bytes into the kernel's memory; the kernel writes them to the disk later. A
    /// crash meanwhile loses this picture and the one that it replaces. If the disk becomes full, the store stops
    /// growing and reuses the slots that it has.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the picture. Their number must be that of ``layout``.
    ///   - key: The key.
    /// - Throws: ``PlaybackError`` with the code `diskFull` if the file has no slot yet; `resources` if a
    ///   ``MappedPicture`` refers to each slot; `input` for other failures of the disk. After an error the store
    ///   has no picture for the key.
    public func setPicture(_ bytes: UnsafeRawBufferPointer, forKey key: String) throws(PlaybackError) {
        precondition(bytes.count == layout.byteCount, "a picture has \(layout.byteCount) bytes")
        removeLostPictures()
        let key = MappedStoreKey(key)
        let record = MappedStoreRecord(key: key, checksum: key.checksum(of: bytes))
        try removePicture(for: key)
        do { try write(bytes, record) } catch {
            guard error.code == .diskFull else { throw error }
            let hasSlots = slots.withLock { slots in
                guard slots.publishedCount > 0 else { return false }
                slots.stopGrowing()
                return true
            }
            guard hasSlots else { throw error }
            try write(bytes, record)
        }
    }

    /// Removes a picture. Does nothing if there is none.
    ///
    /// - Parameter key: The key.
    /// - Throws: ``PlaybackError`` with the code `input` or `diskFull` if the file cannot be written; the picture
    ///   is then removed until the store is closed, and may be present again when it is opened next.
    public func removePicture(forKey key: String) throws(PlaybackError) {
        try removePicture(for: MappedStoreKey(key))
    }

    /// Writes the order in which pictures were used to the file, for the next time the store is opened. The store
    /// calls this method when it is released. A failure loses only the order.
    public func synchronize() {
        let lastUses = slots.withLock { $0.slots.map(\.lastUse) }
        try? file.writeLastUses(lastUses)
    }

    /// Removes the picture for a key, from the table and from the file.
    private func removePicture(for key: MappedStoreKey) throws(PlaybackError) {
        if let slot = slots.withLock({ $0.claim(pictureFor: key) }) { try clearSlot(slot) }
    }

    /// Clears the record of a claimed slot, and ends the claim.
    func clearSlot(_ slot: Int) throws(PlaybackError) {
        defer { slots.withLock { $0.endClaim(slot) } }
        do { try file.clearRecord(slot) } catch { throw PlaybackError(storeAt: path, error) }
    }

    /// Writes a picture into a slot that is empty or reused, then adds it to the table.
    private func write(_ bytes: UnsafeRawBufferPointer, _ record: MappedStoreRecord) throws(PlaybackError) {
        guard let slot = slots.withLock({ $0.claimForWriting() }) else {
            throw PlaybackError(.resources, "\(path): all pictures of the store are in use")
        }
        do { try file.write(bytes, record, slot: slot) } catch {
            slots.withLock { $0.endClaim(slot) }
            throw PlaybackError(storeAt: path, error)
        }
        // Another thread may have stored a picture for the same key meanwhile.
        let replacedSlot = slots.withLock { slots in
            let replacedSlot = slots.claim(pictureFor: record.key)
            slots.publish(slot, key: record.key)
            return replacedSlot
        }
        if let replacedSlot { try clearSlot(replacedSlot) }
    }

    /// Removes pictures that the file no longer has because another program truncated it. Otherwise the next write
    /// would extend the file, and their bytes would be zero.
    private func removeLostPictures() {
        let expectedCount = slots.withLock { $0.publishedCount }
        let availableCount = file.slotCount
        if availableCount < expectedCount { slots.withLock { $0.removePictures(from: availableCount) } }
    }
}

extension MappedStore: MemoryResponder {
    /// Always 0, because the pages belong to a file, so that the kernel can reclaim them without this process.
    package var memoryByteCount: Int { 0 }

    /// Removes pages of the file from this process. The kernel keeps the pages while there is room, and reads them
    /// again on the next use if necessary. Pictures to which the program refers keep their pages, except on
    /// ``MemoryReduction/all``.
    package func reduceMemory(to reduction: MemoryReduction) {
        let keptSlots = reduction == .all ? [] : slots.withLock { $0.referencedSlots }
        var rangeStart = 0
        for slot in keptSlots {
            let offset = file.format.slotOffset(slot)
            unload(rangeStart..<offset)
            rangeStart = offset + file.format.slotSize
        }
        unload(rangeStart..<file.format.fileSize)
    }

    /// Removes the pages of a range of the file from this process.
    private func unload(_ range: Range<Int>) {
        if !range.isEmpty { try? file.mapping.advise(.doNotNeed, range) }
    }

    /// Removes the pages of pictures to which no ``MappedPicture`` refers from this process, as memory warnings do.
    public func unloadUnusedPictures() { reduceMemory(to: .workingSet) }
}
