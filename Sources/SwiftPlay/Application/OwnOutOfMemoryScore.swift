import Glibc
import SystemCalls

/// The `oom_score_adj` of this process, by which the kernel chooses the process that it ends when memory runs out. The
/// compositor process changes it by the program's role; if the compositor crashes, this process restores it.
struct OwnOutOfMemoryScore: Sendable {
    private static let fileName = "oom_score_adj"

    /// The score at the start of the program; nil if it cannot be read.
    private let initialScore: String?

    init() { initialScore = (try? ProcessHandle(getpid()))?.text(of: Self.fileName) }

    /// Restores the score that the process had when the program started.
    func restore() {
        guard let initialScore else { return }
        // The process may lack the permission for the change; then the score stays.
        try? ProcessHandle(getpid()).write(initialScore, to: Self.fileName)
    }
}
