import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundProtocol

/// Tests of the messages that `Tests/Benchmark/transfers.py` writes without this module, in place of the ledger.
@Suite struct BenchmarkMessagesTests {
    /// Decodes the message that is the value of a Python expression in the benchmark.
    private func message(_ expression: String) throws -> EngineCommand {
        let folder = Fixtures.packageRoot + "/Tests/Benchmark"
        let script = "import sys; sys.path.insert(0, '\(folder)'); import transfers; print(list(\(expression)))"
        let output = try run("python3", ["-B", "-c", script])
        return try EngineCommand(decoding: output.split(whereSeparator: { !$0.isNumber }).compactMap { UInt8($0) })
    }

    @Test func theFirstMessageHasTheVersionOfTheEngine() throws {
        #expect(try message("transfers.hello()") == .hello(version: EngineLimits.version))
    }

    @Test func theOrderIsADownloadIntoAnEmptyFile() throws {
        let address = "http://127.0.0.1:80/file"
        let request = TransferRequest(address: address, allowsInsecureHTTP: true)
        #expect(try message("transfers.order(1, '\(address)')") == .start(TransferOrder(transfer: 1, request: request)))
    }
}
