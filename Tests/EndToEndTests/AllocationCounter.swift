import Foundation
import TestSupport

/// Counts the allocations of a program's threads, with a preloaded library (`Tests/StandIns/allocations.c`).
struct AllocationCounter {
    /// The allocations of all threads with one name.
    struct Count {
        /// The number of allocations in the first second after a thread's first allocation, and of later ones.
        var early, late: Int
        /// The size of all allocations in bytes.
        var byteCount: Int
    }

    private let path: String
    /// The environment variables of the program whose allocations are counted.
    let environment: [String: String?]

    /// Compiles the library.
    ///
    /// - Parameter folder: The folder in which the library writes the counts.
    init(in folder: TemporaryDirectory) throws {
        path = folder.file("allocations")
        environment = [
            "LD_PRELOAD": try AudioDeviceStandIn.compiledLibraryPath("allocations"), "ALLOCATIONS_FILE": path,
        ]
    }

    /// The allocations so far, by the name of the thread.
    var counts: [String: Count] {
        let table = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data(), recordSize = 40
        return stride(from: 0, to: table.count, by: recordSize).reduce(into: [:]) { counts, start in
            let record = table[start..<min(start + recordSize, table.count)]
            let name = String(decoding: record.prefix { $0 != 0 }, as: UTF8.self)
            let numbers = record.dropFirst(16).withUnsafeBytes { bytes in
                (0..<3).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int.self) }
            }
            if !name.isEmpty { counts[name] = Count(early: numbers[0], late: numbers[1], byteCount: numbers[2]) }
        }
    }
}
