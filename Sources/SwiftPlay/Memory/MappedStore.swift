import SystemCalls

/// Decoded pictures of one size in a mapped file, for example the posters of a media library.
/// Safe to use from any thread.
///
/// A store keeps pictures from one run of a program to the next. A picture of an open store is shown without decoding
/// and without a copy: its bytes are pages of the file, which the kernel can drop and read again, so that they do not
/// count as memory of the process. When the file is full, a new picture replaces the one that was not used for longest.
///
/// Keys name the content: a key that was used for one picture must not be used for another one, so add the modification
/// date of the source to it. The store keeps 128 bits of a key's hash.
///
/// The file may be lost, damaged or deleted at any time, and a crash may interrupt any write: a picture is either
/// complete, as its checksum proves, or missing. A file of another version, layout or limit is replaced with an empty
/// one. Two stores cannot use a file at the same time. Put the file into a cache directory on a local disk; other
/// programs must not truncate it while it is open.
///
/// Performance: a store takes two descriptors and one mapping, and 130 bytes of memory and 40 bytes of the file for
/// each picture. Opening reads the index of the file once. The first use of a picture checks its checksum, which reads
/// all its bytes, perhaps from the disk: do it on a thread that may wait, and keep the ``MappedPicture`` for the main
/// thread. Later uses take microseconds.
public final class MappedStore: Sendable {
    /// The path of the file.
    public let path: String
    /// The locked and mapped file.
    let file: MappedStoreFile
    /// The table that states which slot holds which picture.
    let slots: Monitor<MappedStoreSlots>
    /// The list of objects that release memory after a memory warning. The store is in this list.
    private let responders: MemoryResponders

    /// Opens a store, or creates an empty one. Beside the file, the store uses the same path with the suffixes `.lock`
    /// and `.new`.
    ///
    /// - Parameters:
    ///   - path: The path of the file, in an existing directory.
    ///   - layout: The size and format of all pictures.
    ///   - byteLimit: The largest size of the file in bytes.
    /// - Throws: ``PlaybackError`` with the code `fileInUse` if another store, in this or another program, uses the
    ///   file; `diskFull`; `notFound` if there is no such directory; `notPermitted`; `resources` if `byteLimit` has no
    ///   room for a picture, or the process no memory or descriptors; `input` for other failures of the disk.
    public convenience init(path: String, layout: Layout, byteLimit: Int) throws(PlaybackError) {
        try self.init(path: path, layout: layout, byteLimit: byteLimit, responders: .shared)
    }

    /// Opens a store, and adds it to a list of objects that release memory on request.
    package init(path: String, layout: Layout, byteLimit: Int, responders: MemoryResponders) throws(PlaybackError) {
        guard let format = MappedStoreFormat(layout: layout, byteLimit: byteLimit) else {
            throw PlaybackError(.resources, "\(path): a store of \(byteLimit) bytes has no room for a picture")
        }
        self.path = path
        self.responders = responders
        do throws(SystemCallError) { file = try MappedStoreFile(path: path, format: format) } catch {
            throw PlaybackError(storeAt: path, error)
        }
        var slots = MappedStoreSlots(count: format.slotCount)
        for slot in 0..<file.slotCount {
            guard let record = file.record(slot) else { continue }
            slots.load(slot, key: record.key, lastUse: file.lastUse(slot))
        }
        slots.finishLoading()
        self.slots = Monitor(slots)
        responders.add(self)
    }

    deinit {
        responders.remove(self)
        synchronize()
    }

    /// The size and format of the pictures.
    public var layout: Layout { file.format.layout }
    /// The number of pictures.
    public var count: Int { slots.withLock { $0.pictureCount } }
    /// The number of pictures for which the file has room.
    public var capacity: Int { file.format.slotCount }
    /// The size of the file in bytes, at most the limit.
    public var fileByteCount: Int { file.size }

    /// Returns the picture for a key, and marks it as used.
    ///
    /// - Parameter key: The key.
    /// - Returns: The picture; nil if there is none, or if it is damaged.
    public func picture(forKey key: String) -> MappedPicture? {
        let key = MappedStoreKey(key)
        guard let (slot, isVerified) = slots.withLock({ $0.retain(key) }) else { return nil }
        // The reference keeps other threads from writing to the slot.
        let availableCount = file.slotCount
        guard slot < availableCount else {
            slots.withLock { slots in
                slots.release(slot)
                slots.removePictures(from: availableCount)
            }
            return nil
        }
        guard isVerified || isIntact(slot, key) else {
            removeDamagedPicture(slot, key)
            return nil
        }
        return MappedPicture(store: self, slot: slot)
    }

    /// Returns whether the picture of a slot is complete and belongs to the key. Called on the first use of the
    /// picture.
    private func isIntact(_ slot: Int, _ key: MappedStoreKey) -> Bool {
        guard let record = file.record(slot), record.key == key,
            key.checksum(of: file.picture(slot)) == record.checksum
        else { return false }
        slots.withLock { $0.markVerified(slot) }
        return true
    }

    /// Removes the damaged picture of a slot, and ends the caller's reference to the slot.
    private func removeDamagedPicture(_ slot: Int, _ key: MappedStoreKey) {
        let isClaimed = slots.withLock { slots in
            slots.release(slot)
            return slots.claim(damagedSlot: slot, key: key)
        }
        if isClaimed { try? clearSlot(slot) }
    }

    /// Starts to read a picture from the disk, and returns without waiting for it. Does nothing if there is no such
    /// picture.
    ///
    /// - Parameter key: The key.
    public func prefetchPicture(forKey key: String) {
        let key = MappedStoreKey(key)
        guard let slot = slots.withLock({ $0.slot(of: key) }) else { return }
        let slotOffset = file.format.slotOffset(slot)
        try? file.mapping.advise(.willNeed, slotOffset..<slotOffset + file.format.slotSize)
    }
}

/// A picture of a ``MappedStore``. Immutable. Safe to use from any thread.
///
/// While the object exists, the store stays open and keeps the picture. Keep the objects of the pictures on screen, and
/// release the others.
public final class MappedPicture: Sendable {
    /// The store that the picture belongs to.
    private let store: MappedStore
    /// The slot of the picture. This object counts as a reference to the slot.
    private let slot: Int

    /// Takes over the caller's reference to a slot.
    init(store: MappedStore, slot: Int) { (self.store, self.slot) = (store, slot) }

    deinit { store.slots.withLock { $0.release(slot) } }

    /// The size and format of the picture.
    public var layout: MappedStore.Layout { store.layout }

    /// Calls a closure with the bytes of the picture, row after row. Reading may wait for the disk if the kernel has
    /// dropped the pages meanwhile.
    ///
    /// - Parameter body: Receives the bytes, which are valid only until it returns.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try body(store.file.picture(slot))
    }
}
