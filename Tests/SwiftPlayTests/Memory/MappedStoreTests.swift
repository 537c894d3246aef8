import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct MappedStoreTests {
    @Test func picturesStayInTheFileAfterTheStoreIsReleased() throws {
        let fixture = try MappedStoreFixture()
        try fixture.fill(8)
        let store = try fixture.open()
        #expect(store.count == 8 && store.capacity == 8)
        #expect(fixture.check(8, in: store) == .init(8, 0))
        #expect(store.picture(forKey: "key 8") == nil)
        #expect(fixture.fileNames == ["pictures", "pictures.lock"])
    }

    @Test func leastRecentlyUsedPictureIsReplaced() throws {
        let fixture = try MappedStoreFixture(slots: 3)
        do {
            let store = try fixture.open()
            for key in ["a", "b", "c"] { try fixture.set(key, in: store) }
            #expect(fixture.isExact("a", in: store) == true)
            try fixture.set("d", in: store)
            #expect(fixture.isExact("b", in: store) == nil && fixture.isExact("a", in: store) == true)
            #expect(store.count == 3 && store.fileByteCount <= fixture.byteLimit)
        }
        // The order of use is kept: "c" was not used since it was stored.
        let store = try fixture.open()
        try fixture.set("e", in: store)
        #expect(fixture.isExact("c", in: store) == nil)
        #expect(["a", "d", "e"].allSatisfy { fixture.isExact($0, in: store) == true })
    }

    @Test func pictureToWhichTheProgramRefersIsNotReplaced() throws {
        let fixture = try MappedStoreFixture(slots: 2)
        let store = try fixture.open()
        for key in ["a", "b"] { try fixture.set(key, in: store) }
        var pictures = [store.picture(forKey: "a"), store.picture(forKey: "b")]
        let error = #expect(throws: PlaybackError.self) { try fixture.set("c", in: store) }
        #expect(error?.code == .resources)
        pictures[1] = nil
        try fixture.set("c", in: store)
        let content = fixture.content("a")
        #expect(pictures[0]?.withBytes { $0.elementsEqual(content) } == true)
        #expect(
            fixture.check(0, in: store) == .init(0, 0) && store.count == 2 && fixture.isExact("b", in: store) == nil)
    }

    @Test func replacedPictureStaysValidWhileTheProgramRefersToIt() throws {
        let fixture = try MappedStoreFixture(slots: 3)
        let store = try fixture.open()
        try fixture.set("a", in: store)
        let replacedPicture = try #require(store.picture(forKey: "a"))
        try fixture.set("a", in: store)
        try store.removePicture(forKey: "a")
        for key in ["b", "c", "d"] { try fixture.set(key, in: store) }
        let content = fixture.content("a")
        #expect(replacedPicture.withBytes { $0.elementsEqual(content) })
        #expect(store.count == 2 && replacedPicture.layout == fixture.layout)
    }

    @Test func unloadedPicturesCanBeReadAgain() throws {
        let fixture = try MappedStoreFixture(rows: 16, slots: 8)
        try fixture.fill(8)
        let store = try fixture.open()
        let referencedPicture = try #require(store.picture(forKey: "key 3"))
        #expect(fixture.check(8, in: store) == .init(8, 0))
        store.unloadUnusedPictures()
        store.prefetchPicture(forKey: "key 1")
        store.prefetchPicture(forKey: "no such key")
        let content = fixture.content("key 3")
        #expect(referencedPicture.withBytes { $0.elementsEqual(content) })
        store.reduceMemory(to: .all)
        #expect(fixture.check(8, in: store) == .init(8, 0))
    }

    @Test func unusedPicturesAreRemovedFromTheMemoryOfTheProcess() throws {
        let fixture = try MappedStoreFixture(rows: 64, slots: 8)
        try fixture.fill(8)
        let store = try fixture.open()
        let referencedPicture = try #require(store.picture(forKey: "key 3"))
        #expect(fixture.check(8, in: store) == .init(8, 0))
        let pageCount = fixture.layout.byteCount / MemoryPages.size
        #expect(try mappedPageCount(store) >= 8 * pageCount)
        store.unloadUnusedPictures()
        #expect(try mappedPageCount(store) == pageCount)
        store.reduceMemory(to: .all)
        #expect(try mappedPageCount(store) == 0)
        withExtendedLifetime(referencedPicture) {}
    }

    /// Returns the number of pages of the store's file that are in the page tables of this process: their entries in
    /// `/proc/self/pagemap` have bit 63 set (Documentation/admin-guide/mm/pagemap.rst of Linux).
    private func mappedPageCount(_ store: MappedStore) throws -> Int {
        var entries = [UInt64](repeating: 0, count: store.file.mapping.size / MemoryPages.size)
        let firstPage = Int(bitPattern: store.file.mapping.base) / MemoryPages.size
        let pagemap = try FileDescriptor(opening: "/proc/self/pagemap", flags: O_RDONLY)
        let count = try entries.withUnsafeMutableBytes { try pagemap.read(into: $0, at: firstPage * 8) }
        #expect(count == 8 * entries.count)
        return entries.count { $0 >> 63 == 1 }
    }

    @Test func secondStoreForTheSameFileIsRefused() throws {
        let fixture = try MappedStoreFixture()
        let firstStore = try fixture.open()
        try fixture.set("a", in: firstStore)
        let error = #expect(throws: PlaybackError.self) { try fixture.open() }
        #expect(error?.code == .fileInUse)
        // If the lock file is deleted, the lock on the store's file refuses the second store.
        try FileManager.default.removeItem(atPath: fixture.path + ".lock")
        #expect(throws: PlaybackError.self) { try fixture.open() }
        #expect(fixture.isExact("a", in: firstStore) == true)
    }

    @Test func failuresToOpenAStoreHaveErrorCodes() throws {
        let layout = MappedStore.Layout(width: 1, height: 1, bytesPerRow: 4)
        func errorCode(_ path: String, _ limit: Int = 1 << 20) -> PlaybackError.Code? {
            do throws(PlaybackError) { _ = try MappedStore(path: path, layout: layout, byteLimit: limit) } catch {
                #expect(error.errorDescription?.contains(path) == true)
                return error.code
            }
            return nil
        }
        let directory = try TemporaryDirectory()
        #expect(errorCode("/nonexistent/pictures") == .notFound)
        #expect(errorCode(directory.file("small"), 1000) == .resources)
        try FileManager.default.createDirectory(atPath: directory.file("folder"), withIntermediateDirectories: false)
        #expect(errorCode(directory.file("folder")) == .input)
        // A special file or a symbolic link is replaced, not followed.
        mkfifo(directory.file("pipe"), 0o600)
        #expect(errorCode(directory.file("pipe")) == nil)
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("link"), withDestinationPath: directory.file("pipe"))
        #expect(errorCode(directory.file("link")) == nil)
    }

    @Test func eightThreadsReadOnlyCorrectPictures() throws {
        let fixture = try MappedStoreFixture(slots: 16)
        let store = try fixture.open()
        var generator = SeededGenerator.printingSeed()
        let seed = generator.next()
        let contents = (0..<40).map { fixture.content("key \($0)") }
        let wrongPictureCount = Monitor(0)
        let threads = try (0..<8).map { thread in
            try NamedThread("store \(thread)") {
                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                for _ in 0..<500 {
                    let number = Int(random.next() % 40)
                    if let picture = store.picture(forKey: "key \(number)") {
                        let isExact = picture.withBytes { bytes in
                            bytes.elementsEqual(contents[number])
                        }
                        if !isExact { wrongPictureCount.withLock { $0 += 1 } }
                    } else {
                        contents[number].withUnsafeBytes { try? store.setPicture($0, forKey: "key \(number)") }
                    }
                    if random.next() % 50 == 0 { try? store.removePicture(forKey: "key \(number)") }
                    if random.next() % 100 == 0 { store.reduceMemory(to: .all) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrongPictureCount.withLock { $0 } == 0)
        #expect(fixture.check(40, in: store).wrongCount == 0 && store.count <= 16)
        #expect(store.slots.withLock { $0.slots.allSatisfy { !$0.isClaimed && $0.referenceCount == 0 } })
    }
}
