import Glibc
import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct CompositorLauncherTests {
    // If a child process of another thread inherited the pipe by which the compositor reports that it is ready, the
    // pipe would stay open after the compositor's exit, and its reader would wait forever.
    @Test("child processes of other threads do not inherit the pipe that reports the compositor as ready")
    func readyPipeIsClosedOnExec() throws {
        let (readingDescriptor, writingDescriptor) = try CompositorLauncher.makeReadyPipe()
        for descriptor in [readingDescriptor, writingDescriptor] {
            #expect(fcntl(descriptor.raw, F_GETFD) & FD_CLOEXEC != 0)
        }
    }
}
