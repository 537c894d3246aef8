import Foundation
import TestSupport
import Testing

@testable import Compositor

@Suite struct MemoryFilesTests {
    /// Returns a temporary directory that contains `files`: the text of each file by its path in the directory.
    private func folder(_ files: [String: String]) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        for (name, text) in files {
            let url = URL(fileURLWithPath: folder.file(name))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return folder
    }

    private func files(_ folder: TemporaryDirectory) -> MemoryFiles {
        MemoryFiles(.init(proc: folder.file("proc"), controlGroups: folder.file("cgroup")))
    }

    @Test func allFiguresAreRead() throws {
        let folder = try folder([
            "proc/meminfo": "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    250 kB\n",
            "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n"
                + "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n",
            "proc/self/cgroup": "4:memory:/old\n0::/user/app\n", "cgroup/user/app/memory.current": "100\n",
            "cgroup/user/app/memory.stat": "anon 80\nfile 20\ninactive_file 14\nactive_file 6\n",
            "cgroup/user/app/memory.high": "100\n", "cgroup/user/app/memory.max": "172\n",
            "cgroup/user/app/memory.events": "low 1\nhigh 9\nmax 2\noom 3\noom_kill 4\n",
        ])
        let files = files(folder)
        #expect(
            files.read()
                == MemoryReading(
                    someStallTime: 12, fullStallTime: 7, totalBytes: 1_024_000, available: 0.25,
                    fractionOfHighLimit: 0.86,
                    fractionOfMaximumLimit: 0.5, limitEventCount: 2, outOfMemoryCount: 7))
        #expect(files.reportsStalls && files.hasGroupLimit)
    }

    @Test func missingFilesAreSkipped() throws {
        let files = files(try TemporaryDirectory())
        #expect(files.read() == MemoryReading() && !files.reportsStalls && !files.hasGroupLimit)
    }

    @Test(
        "malformed files are skipped",
        arguments: ["", "max", "-1", "99999999999999999999", "some total=\nfull total=x", "\u{0}\u{0}", "MemTotal: 0"])
    func malformedFilesAreSkipped(text: String) throws {
        let names = [
            "proc/meminfo", "proc/pressure/memory", "cgroup/memory.current", "cgroup/memory.high", "cgroup/memory.max",
            "cgroup/memory.events", "cgroup/memory.stat",
        ]
        var contents = Dictionary(uniqueKeysWithValues: names.map { ($0, text) })
        contents["proc/self/cgroup"] = "0::/\n"
        let files = files(try folder(contents))
        #expect(
            files.read().available == nil && files.read().someStallTime == nil
                && files.read().fractionOfHighLimit == nil)
        #expect(!files.hasGroupLimit)
    }

    @Test func filesOfThisMachineAreRead() {
        let available = MemoryFiles().read().available ?? -1
        #expect(available > 0 && available <= 1)
    }
}
