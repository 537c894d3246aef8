import CompositorProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct MemoryTableTests {
    @Test("the table shows sizes in MiB, and a dash for unknown values")
    func tableShowsSizesInMebibytes() {
        func program(_ id: Int32, _ role: ProgramRole) -> ProgramSnapshot {
            ProgramSnapshot(
                processID: id, name: "film", role: role, presence: .shown, isFloating: false, isAudible: false)
        }
        var report = MemoryReport()
        (report.frameBytes, report.packetBytes, report.cacheBytes) = (3 << 20, 1 << 19, 0)
        report.warning = .init(level: .critical, age: 4_900_000_000, releasedBytes: 20 << 20)
        let text = MemoryTable.text(
            of: [
                ProgramMemory(program: program(8, .backgroundMedia), budget: 48 << 20, usage: nil, report: nil),
                ProgramMemory(
                    program: program(9, .primary), budget: 256 << 20, usage: (60 << 20, 30 << 20), report: report),
            ], pressure: .warning)
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            rows == [
                "memory pressure: warning",
                "PID PROGRAM ROLE BUDGET DIRTY CLEAN FRAMES PACKETS CACHES LAST WARNING RELEASED",
                "9 film primary 256 MiB 60 MiB 30 MiB 3 MiB 1 MiB 0 MiB critical, 4 s ago 20 MiB",
                "8 film background 48 MiB - - - - - - -",
            ])
        #expect(MemoryTable.text(of: [], pressure: .normal) == "memory pressure: normal\nno programs\n")
    }

    @Test("sizes are rounded to the nearest MiB, up to the largest size that a program may report")
    func sizesAreRoundedToTheNearestMebibyte() {
        let program = ProgramSnapshot(
            processID: 1, name: "film", role: .primary, presence: .shown, isFloating: false, isAudible: false)
        let sizes: [(Int64, String)] = [
            (0, "0"), (1 << 19 - 1, "0"), (1 << 19, "1"), (3 << 19 - 1, "1"), (3 << 19, "2"), (.max, "8796093022208"),
        ]
        for (size, text) in sizes {
            var report = MemoryReport()
            report.packetBytes = size
            report.warning = .init(level: .warning, age: .max, releasedBytes: size)
            let memory = ProgramMemory(program: program, budget: size, usage: (size, size), report: report)
            let row = MemoryTable.text(of: [memory], pressure: .normal).split(separator: "\n").last ?? ""
            let cells = row.split(separator: " ").map(String.init)
            let mebibytes = [text, "MiB"]
            #expect(Array(cells[3..<9]) == mebibytes + mebibytes + mebibytes)
            #expect(Array(cells[9..<13]) == ["0", "MiB"] + mebibytes && Array(cells.suffix(2)) == mebibytes)
        }
    }
}
