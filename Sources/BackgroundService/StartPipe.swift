import BackgroundProtocol
import Glibc
import SystemCalls

/// The pipe of the program that has started the service and waits until programs can connect.
package final class StartPipe {
    /// The write end; nil if no program waits, or a report was sent.
    private var descriptor: FileDescriptor?

    /// Takes the write end; nil if no program waits.
    package init(descriptor: Int32?) { self.descriptor = descriptor.map { FileDescriptor(owning: $0) } }

    /// Reports that programs can connect.
    package func reportListening() { send(.listening) }

    /// Reports why the service cannot serve.
    package func report(_ failure: any Error) { send(.failed("\(failure)")) }

    /// Closes the pipe, because another service listens.
    package func close() { descriptor = nil }

    private func send(_ report: StartReport) {
        guard let descriptor = descriptor.take() else { return }
        // Writing fails if the program that has started the service has ended. No other program needs the report.
        _ = report.bytes.withUnsafeBytes { write(descriptor.raw, $0.baseAddress, $0.count) }
    }
}
