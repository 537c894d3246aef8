import Foundation
import ProbeSupport
import SystemCalls
import TestSupport

@testable import SwiftPlay

/// A setup for tests of a mapped store: a temporary directory with its file, and test pictures whose bytes depend on
/// their keys.
final class MappedStoreFixture {
    /// The size and format of the pictures.
    let layout: MappedStore.Layout
    /// The largest size of the file in bytes.
    let byteLimit: Int
    private let directory: TemporaryDirectory

    /// Creates a fixture for pictures of `rows` rows of 4096 bytes.
    ///
    /// - Parameter slots: The number of pictures for which the file has room.
    init(rows: Int = 2, slots: Int = 8) throws {
        directory = try TemporaryDirectory()
        layout = MappedStore.Layout(width: 1024, height: rows, bytesPerRow: 4096)
        byteLimit = Self.byteLimit(layout, slots: slots)
    }

    /// The path of the file.
    var path: String { directory.file("pictures") }

    /// The last two components of the file's path, by which a test finds the file in `/proc`.
    var pathSuffix: String { "/" + path.split(separator: "/").suffix(2).joined(separator: "/") }

    /// Returns the smallest file size, in bytes, with room for `slots` pictures.
    static func byteLimit(_ layout: MappedStore.Layout, slots: Int) -> Int {
        let bytesPerSlot = MemoryPages.roundUp(layout.byteCount) + MappedStoreRecord.size + 8
        return MappedStoreFormat.recordsOffset + MemoryPages.size + slots * bytesPerSlot
    }

    /// Opens the store.
    func open() throws(PlaybackError) -> MappedStore {
        try MappedStore(path: path, layout: layout, byteLimit: byteLimit, responders: MemoryResponders())
    }

    /// Returns the bytes of the test picture for a key.
    func content(_ key: String) -> [UInt8] { PictureContent.bytes(forKey: key, count: layout.byteCount) }

    /// Stores the test picture for a key.
    func set(_ key: String, in store: MappedStore) throws(PlaybackError) {
        try content(key).withUnsafeBufferPointer { bytes throws(PlaybackError) in
            try store.setPicture(UnsafeRawBufferPointer(bytes), forKey: key)
        }
    }

    /// Stores pictures with the keys `key 0` to `key N-1`, where N is `count`, and closes the store.
    func fill(_ count: Int) throws {
        let store = try open()
        for number in 0..<count { try set("key \(number)", in: store) }
    }

    /// Returns whether a store's picture for a key has the right bytes; nil if there is no picture.
    func isExact(_ key: String, in store: MappedStore) -> Bool? {
        store.picture(forKey: key).map { picture in
            let content = content(key)
            return picture.withBytes { bytes in bytes.elementsEqual(content) }
        }
    }

    /// The number of pictures that a store contains, and the number of pictures whose bytes are wrong.
    struct PictureCounts: Equatable {
        /// The number of pictures that the store contains.
        let presentCount: Int
        /// The number of these pictures whose bytes are wrong.
        let wrongCount: Int
        init(_ presentCount: Int, _ wrongCount: Int) {
            (self.presentCount, self.wrongCount) = (presentCount, wrongCount)
        }
    }

    /// Counts the present and the wrong pictures with the keys `key 0` to `key N-1`, where N is `count`.
    func check(_ count: Int, in store: MappedStore) -> PictureCounts {
        let states = (0..<count).compactMap { isExact("key \($0)", in: store) }
        return PictureCounts(states.count, states.filter { !$0 }.count)
    }

    /// Overwrites bytes of the file.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        let file = try FileDescriptor(opening: path, flags: O_WRONLY)
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// Changes the size of the file.
    func truncate(_ size: Int) throws {
        let file = try FileDescriptor(opening: path, flags: O_WRONLY)
        try file.setSize(size)
    }

    /// The names of all files in the directory.
    var fileNames: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? [] }
}
