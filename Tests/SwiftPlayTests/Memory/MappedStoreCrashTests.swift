import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests of mapped stores whose process (`MappedStoreProbe`) is killed, or whose files may not grow further.
@Suite struct MappedStoreCrashTests {
    /// The number of times that the process is killed; 200 if the environment variable `SWIFTPLAY_LONG_TESTS` is set.
    private static let killCount = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 15 : 200
    /// The number of keys that the process uses.
    private static let keyCount = 24

    /// Starts a process that writes pictures to a store.
    private func startProbe(_ fixture: MappedStoreFixture, seed: UInt64, fileSizeLimit: Int? = nil) throws
        -> ChildProcess
    {
        let arguments =
            [fixture.layout.height, fixture.byteLimit, Int(seed % 1000)] + (fileSizeLimit.map { [$0] } ?? [])
        return try ChildProcess(try Products.path("MappedStoreProbe"), [fixture.path] + arguments.map { "\($0)" })
    }

    @Test func killedWriterLeavesOnlyCorrectPictures() throws {
        var random = SeededGenerator.printingSeed()
        let fixture = try MappedStoreFixture(rows: 24, slots: 16)
        var previousCount = 0, leastPresentCount = Int.max
        for _ in 0..<Self.killCount {
            let writer = try startProbe(fixture, seed: random.next())
            // Wait until the writer has reported up to twelve pictures; the kill then hits a random point of its work.
            let lineLength = "stored key 0\n".utf8.count
            let hasReported = writer.output.wait(forTotalByteCount: lineLength * Int(1 + random.next() % 12))
            writer.signal(SIGKILL)
            try writer.waitForExit()
            #expect(hasReported, "\(writer.errors.text) \(writer.output.text)")
            let store = try fixture.open()
            let pictureCounts = fixture.check(Self.keyCount, in: store)
            #expect(pictureCounts.wrongCount == 0 && store.fileByteCount <= fixture.byteLimit)
            // A crash loses the picture being written, and the older picture with the same key or in the same slot.
            #expect(pictureCounts.presentCount >= previousCount - 2)
            if previousCount == 16 { leastPresentCount = min(leastPresentCount, pictureCounts.presentCount) }
            previousCount = pictureCounts.presentCount
        }
        print("of 16 pictures, at least \(leastPresentCount) survived each crash")
        #expect(previousCount > 8)
    }

    @Test func storeIsInUseUntilItsProcessIsKilled() throws {
        let fixture = try MappedStoreFixture()
        let firstProcess = try startProbe(fixture, seed: 1)
        #expect(firstProcess.output.wait(for: "stored"))
        let error = #expect(throws: PlaybackError.self) { try fixture.open() }
        #expect(error?.code == .fileInUse)
        let secondProcess = try startProbe(fixture, seed: 2)
        try secondProcess.waitForExit()
        #expect(secondProcess.output.text == "failed \(PlaybackError.Code.fileInUse.rawValue)\n")
        firstProcess.signal(SIGKILL)
        try firstProcess.waitForExit()
        #expect(fixture.check(Self.keyCount, in: try fixture.open()).wrongCount == 0)
    }

    /// A file size limit (`RLIMIT_FSIZE`) simulates a full disk: the same writes fail.
    @Test func storeOnAFullDiskReusesItsSlots() throws {
        let fixture = try MappedStoreFixture(slots: 16)
        let format = try #require(MappedStoreFormat(layout: fixture.layout, byteLimit: fixture.byteLimit))
        // The limit leaves room for five pictures and a part of the sixth.
        let writer = try startProbe(fixture, seed: 1, fileSizeLimit: format.slotOffset(5) + 5000)
        try writer.waitForExit()
        #expect(writer.output.text.split(separator: "\n").count { $0.hasPrefix("stored") } == Self.keyCount)
        let store = try fixture.open()
        #expect(fixture.check(Self.keyCount, in: store) == .init(5, 0))
        #expect((Self.keyCount - 5..<Self.keyCount).allSatisfy { fixture.isExact("key \($0)", in: store) == true })
    }

    @Test func storeWithoutDiskSpaceForAPictureThrowsDiskFull() throws {
        let fixture = try MappedStoreFixture(slots: 16)
        let format = try #require(MappedStoreFormat(layout: fixture.layout, byteLimit: fixture.byteLimit))
        let errorCode = PlaybackError.Code.diskFull.rawValue
        let writer = try startProbe(fixture, seed: 1, fileSizeLimit: format.slotOffset(0) + 5000)
        try writer.waitForExit()
        #expect(writer.output.text == String(repeating: "failed \(errorCode)\n", count: Self.keyCount))
        #expect(fixture.check(Self.keyCount, in: try fixture.open()) == .init(0, 0))

        let emptyFixture = try MappedStoreFixture(slots: 16)
        let creatingProcess = try startProbe(emptyFixture, seed: 1, fileSizeLimit: 1000)
        try creatingProcess.waitForExit()
        #expect(creatingProcess.output.text == "failed \(errorCode)\n")
        #expect(emptyFixture.fileNames == ["pictures.lock"])
    }
}
