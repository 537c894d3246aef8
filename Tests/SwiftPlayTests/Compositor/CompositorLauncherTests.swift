import Glibc
import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct CompositorLauncherTests {
    @Test("programs that other threads start meanwhile do not inherit the pipe: its end would never be seen")
    func closesOnExec() throws {
        let (reading, writing) = try CompositorLauncher.readyPipe()
        for descriptor in [reading, writing] { #expect(fcntl(descriptor.raw, F_GETFD) & FD_CLOEXEC != 0) }
    }
}
