import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests that damaged or truncated files, and files of another version, never show a wrong picture or cause a crash.
@Suite struct MappedStoreDamageTests {
    /// Returns the format of the store's file.
    private func format(_ fixture: MappedStoreFixture) throws -> MappedStoreFormat {
        try #require(MappedStoreFormat(layout: fixture.layout, byteLimit: fixture.byteLimit))
    }

    @Test func truncatedFileKeepsThePicturesBeforeItsEnd() throws {
        let fixture = try MappedStoreFixture()
        let format = try format(fixture)
        for (end, presentCount) in [
            (format.slotOffset(8) - 1, 7), (format.slotOffset(5), 5), (format.slotOffset(3) - 4096, 2),
            (format.slotsOffset, 0), (format.slotsOffset - 1, 0), (8192, 0), (100, 0), (0, 0),
        ] {
            try fixture.fill(8)
            try fixture.truncate(end)
            do {
                let store = try fixture.open()
                #expect(fixture.check(8, in: store) == .init(presentCount, 0), "truncated to \(end) bytes")
                try fixture.set("new", in: store)
                #expect(fixture.isExact("new", in: store) == true)
            }
            // The missing pictures stay missing when the file has grown again.
            let store = try fixture.open()
            #expect(fixture.check(8, in: store) == .init(presentCount, 0))
            for number in 0..<8 { try fixture.set("key \(number)", in: store) }
            #expect(fixture.check(8, in: store) == .init(8, 0))
        }
    }

    @Test func truncatingAnOpenFileLosesOnlyTheCutPictures() throws {
        let fixture = try MappedStoreFixture()
        let format = try format(fixture)
        try fixture.fill(8)
        let store = try fixture.open()
        // This check verifies all pictures, so that the store does not verify their checksums again.
        #expect(fixture.check(8, in: store) == .init(8, 0))
        try fixture.truncate(format.slotOffset(5))
        #expect(fixture.check(8, in: store) == .init(5, 0))
        // Writing extends the file; the lost pictures must not become valid pictures of zeros.
        try fixture.truncate(format.slotOffset(2))
        try fixture.set("key 7", in: store)
        #expect(fixture.check(8, in: store) == .init(3, 0))
        try fixture.truncate(0)
        #expect(fixture.check(8, in: store) == .init(0, 0))
        try fixture.set("key 1", in: store)
        #expect(fixture.check(8, in: store) == .init(1, 0))
    }

    @Test func storeReturnsNoWrongPictureAfterRandomDamage() throws {
        var random = SeededGenerator.printingSeed()
        let fixture = try MappedStoreFixture()
        let format = try format(fixture)
        for _ in 0..<60 {
            try fixture.fill(8)
            // Damage the header, the records, the times of use or the pictures.
            let ends = [0, 8192, format.usesOffset, format.slotsOffset, format.fileSize]
            let ranges = zip(ends, ends.dropFirst()).map { $0..<$1 }
            for _ in 0...(random.next() % 3) {
                let range = ranges[Int(random.next() % 4)]
                let offset = range.lowerBound + Int(random.next() % UInt64(range.count))
                let count = min(Int(random.next() % 600) + 1, format.fileSize - offset)
                try fixture.overwrite((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }, at: offset)
            }
            let store = try fixture.open()
            #expect(fixture.check(8, in: store).wrongCount == 0)
            try fixture.set("new", in: store)
            #expect(fixture.isExact("new", in: store) == true)
        }
    }

    @Test func damagedPictureIsRemovedFromTheFile() throws {
        let fixture = try MappedStoreFixture()
        try fixture.fill(8)
        try fixture.overwrite([1], at: try format(fixture).slotOffset(4) + 77)
        for _ in 0..<2 {
            let store = try fixture.open()
            #expect(fixture.isExact("key 4", in: store) == nil)
            #expect(fixture.check(8, in: store) == .init(7, 0) && store.count == 7)
        }
    }

    @Test func pictureIsInvalidUnderTheRecordOfAnotherPicture() throws {
        let fixture = try MappedStoreFixture()
        let format = try format(fixture)
        try fixture.fill(2)
        // Copy the picture of slot 1 into slot 0, as after a power cut that lost the newest picture of slot 0.
        try fixture.overwrite(fixture.content("key 1"), at: format.slotOffset(0))
        // Write a record into slot 5 that is valid only for slot 0.
        let record = MappedStoreRecord(key: MappedStoreKey("key 0"), checksum: 1)
        try fixture.overwrite(record.words(slot: 0).withUnsafeBytes { Array($0) }, at: format.recordOffset(5))
        let store = try fixture.open()
        #expect(fixture.check(2, in: store) == .init(1, 0))
    }

    @Test func picturesWithTheSameKeyAreBothInvalid() throws {
        let fixture = try MappedStoreFixture()
        let format = try format(fixture)
        try fixture.fill(3)
        let otherContent = fixture.content("other")
        let key = MappedStoreKey("key 1")
        let record = MappedStoreRecord(key: key, checksum: otherContent.withUnsafeBytes { key.checksum(of: $0) })
        try fixture.overwrite(otherContent, at: format.slotOffset(2))
        try fixture.overwrite(record.words(slot: 2).withUnsafeBytes { Array($0) }, at: format.recordOffset(2))
        let store = try fixture.open()
        #expect(fixture.check(3, in: store) == .init(1, 0))
        try fixture.set("key 1", in: store)
        #expect(fixture.check(3, in: store) == .init(2, 0))
    }

    @Test func damagedHeaderIsRepairedFromItsCopy() throws {
        let fixture = try MappedStoreFixture()
        for offset in MappedStoreFormat.headerOffsets + MappedStoreFormat.headerOffsets {
            try fixture.fill(8)
            try fixture.overwrite([UInt8](repeating: 0xFF, count: 100), at: offset)
            #expect(fixture.check(8, in: try fixture.open()) == .init(8, 0))
        }
        for offset in MappedStoreFormat.headerOffsets { try fixture.overwrite([0xFF], at: offset) }
        #expect(fixture.check(8, in: try fixture.open()) == .init(0, 0))
    }

    @Test func fileWithAnotherVersionLayoutOrLimitIsReplaced() throws {
        let fixture = try MappedStoreFixture()
        let format = try format(fixture)
        try fixture.fill(8)
        var header = format.header
        header[1] = (MappedStoreFormat.version + 1).littleEndian
        header[header.count - 1] = header.dropLast().withUnsafeBytes { XXHash64.hash($0, seed: 0) }.littleEndian
        for offset in MappedStoreFormat.headerOffsets {
            try fixture.overwrite(header.withUnsafeBytes { Array($0) }, at: offset)
        }
        #expect(fixture.check(8, in: try fixture.open()) == .init(0, 0))

        try fixture.fill(8)
        let layouts = [
            MappedStore.Layout(width: 1024, height: 2, bytesPerRow: 4096, pixelFormat: .rgba),
            MappedStore.Layout(width: 1023, height: 2, bytesPerRow: 4096),
        ]
        for layout in layouts {
            let store = try MappedStore(path: fixture.path, layout: layout, byteLimit: fixture.byteLimit)
            #expect(store.count == 0 && fixture.check(8, in: store) == .init(0, 0))
        }
        try fixture.fill(8)
        let largerStore = try MappedStore(path: fixture.path, layout: fixture.layout, byteLimit: 2 * fixture.byteLimit)
        #expect(largerStore.count == 0 && largerStore.capacity > 8)
    }

    @Test func incompleteFileThatACrashLeftIsReplaced() throws {
        let fixture = try MappedStoreFixture()
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: fixture.path + ".new"))
        try fixture.fill(8)
        #expect(fixture.check(8, in: try fixture.open()) == .init(8, 0))
        #expect(fixture.fileNames == ["pictures", "pictures.lock"])
    }

    @Test func mappedPictureStaysValidAfterTheFileIsDeleted() throws {
        let fixture = try MappedStoreFixture()
        try fixture.fill(8)
        let store = try fixture.open()
        let picture = try #require(store.picture(forKey: "key 2"))
        try FileManager.default.removeItem(atPath: fixture.path)
        let content = fixture.content("key 2")
        #expect(picture.withBytes { $0.elementsEqual(content) })
    }
}
