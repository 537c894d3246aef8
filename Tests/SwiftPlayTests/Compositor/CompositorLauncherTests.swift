import Glibc
import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct CompositorLauncherTests {
    // A child of another thread that inherited the pipe would keep it open, and its reader would never see the end.
    @Test("child processes of other threads do not inherit the pipe")
    func closesOnExec() throws {
        let (reading, writing) = try CompositorLauncher.readyPipe()
        for descriptor in [reading, writing] { #expect(fcntl(descriptor.raw, F_GETFD) & FD_CLOEXEC != 0) }
    }
}
