import Glibc
import SystemCalls

/// The `oom_score_adj` of this process, by which the kernel chooses the process that it ends when memory runs out. The
/// compositor process changes it by the program's role; if the compositor crashes, this process restores it.
struct OwnOutOfMemoryScore: Sendable {
    private static let file = "oom_score_adj"

    /// The value at the start of the program; nil if it cannot be read.
    private let start: String?

    init() { start = (try? ProcessHandle(getpid()))?.text(of: Self.file) }

    /// Restores the value of the start.
    func restore() {
        guard let start else { return }
        // Another process may forbid the change; then the value stays.
        try? ProcessHandle(getpid()).write(start, to: Self.file)
    }
}
