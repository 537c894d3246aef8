import BackgroundProtocol
import CLinux
import Glibc
import SystemCalls
import Testing

@testable import BackgroundService

@Suite struct StartPipeTests {
    private let reading: SharedDescriptor
    private let pipe: StartPipe

    init() throws {
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe2") { clinux_pipe_cloexec(&ends) }
        (reading, pipe) = (SharedDescriptor(FileDescriptor(owning: ends[0])), StartPipe(descriptor: ends[1]))
    }

    /// Everything that arrives until the pipe is closed.
    private var received: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 2 * StartReport.byteLimit), count = 0
        while case let part = read(reading.raw, &bytes[count], 1), part > 0 { count += part }
        return Array(bytes.prefix(count))
    }

    @Test func listeningIsReportedOnce() {
        for _ in 0..<2 { pipe.reportListening() }
        #expect(StartReport(received) == .listening)
    }

    @Test func aFailureIsReportedWithItsReason() {
        let error = SystemCallError(call: "bind", number: EACCES)
        pipe.report(error)
        #expect(StartReport(received) == .failed("\(error)"))
    }

    @Test func aClosedPipeHasNoReport() {
        pipe.close()
        pipe.reportListening()
        #expect(StartReport(received) == nil)
    }

    @Test func withoutAPipeAReportDoesNothing() { StartPipe(descriptor: nil).reportListening() }
}
