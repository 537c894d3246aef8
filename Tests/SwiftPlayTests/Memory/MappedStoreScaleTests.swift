import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests of stores with many pictures, such as the 10,000 film posters of a media library.
@Suite struct MappedStoreScaleTests {
    private static let posterCount = 10_000

    @Test func tenThousandPostersTakeOneMappingTwoDescriptorsAndASmallIndex() throws {
        let fixture = try MappedStoreFixture(rows: 1, slots: Self.posterCount)
        try fixture.fill(Self.posterCount)
        let start = MonotonicTime.now
        let store = try fixture.open()
        print("opened \(store.count) posters in \((MonotonicTime.now - start) / 1000) µs")
        #expect(store.count == Self.posterCount && store.capacity == Self.posterCount)
        #expect(store.file.format.slotsOffset <= 1 << 20)
        for number in stride(from: 0, to: Self.posterCount, by: 97) {
            #expect(fixture.isExact("key \(number)", in: store) == true)
        }
        #expect(try mappingCount(of: fixture) == 1)
        #expect(openDescriptorCount(of: fixture) == 2)
    }

    @Test func fullFileKeepsTheMostRecentlyUsedPosters() throws {
        let fixture = try MappedStoreFixture(rows: 1, slots: 500)
        try fixture.fill(500)
        // The order of use continues after the file was opened again.
        let store = try fixture.open()
        for number in 0..<100 { #expect(fixture.isExact("key \(number)", in: store) == true) }
        for number in 500..<800 { try fixture.set("key \(number)", in: store) }
        let keptNumbers = (0..<800).filter { fixture.isExact("key \($0)", in: store) == true }
        #expect(keptNumbers == Array(0..<100) + Array(400..<800))
        #expect(store.fileByteCount <= fixture.byteLimit)
    }

    /// Returns the number of mappings of this process that refer to the fixture's files.
    private func mappingCount(of fixture: MappedStoreFixture) throws -> Int {
        let maps = try FileDescriptor(opening: "/proc/self/maps", flags: O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: 4 << 20)
        let count = try bytes.withUnsafeMutableBytes { try maps.read(into: $0, at: 0) }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        return lines.count { $0.hasSuffix(fixture.pathSuffix) }
    }

    /// Returns the number of open descriptors of this process that refer to the fixture's files.
    private func openDescriptorCount(of fixture: MappedStoreFixture) -> Int {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.count { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target?.contains(fixture.pathSuffix) == true
        }
    }
}
