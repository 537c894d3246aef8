import Glibc
import SharedFrames

/// Chooses the number of FFmpeg's decoding threads for a video track.
enum DecoderThreads {
    /// The maximum number of pixels of a picture that a single thread decodes.
    private static let singleThreadPixelLimit = 352 * 288
    /// The maximum number of pixels of a picture that two threads per processor core decode.
    private static let twoThreadsPerCorePixelLimit = 1280 * 720

    /// Returns the number of threads for pictures of a given size. An empty size means that the size is not known yet.
    ///
    /// One thread decodes the smallest pictures faster than several threads, because handing pictures between threads
    /// takes time. Small pictures use two threads per core, because each thread waits for pictures of other threads
    /// (720p on two cores: 1.3 times as fast). Each thread holds a picture in memory, so large pictures use one thread
    /// per core.
    ///
    /// - Parameter limit: The largest number of threads, at least 1; nil for no limit.
    static func count(for size: PixelSize, limit: Int? = nil) -> Int {
        max(1, min(limit ?? .max, usualCount(for: size)))
    }

    private static func usualCount(for size: PixelSize) -> Int {
        let pixels = size.width * size.height, cores = max(1, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        if (1...singleThreadPixelLimit).contains(pixels) { return 1 }
        return pixels <= twoThreadsPerCorePixelLimit ? 2 * cores : cores
    }
}
