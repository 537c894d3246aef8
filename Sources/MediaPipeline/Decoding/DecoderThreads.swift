import Glibc
import SharedFrames

/// The number of threads that decode a video track.
enum DecoderThreads {
    private static let largestForOne = 352 * 288
    private static let largestForTwice = 1280 * 720

    /// Returns the number of threads for pictures of a size; a size without area is not known yet.
    ///
    /// One thread decodes the smallest pictures faster than several, which hand each picture round. Small pictures get
    /// twice as many threads as there are cores, because a thread waits for the pictures of other threads (720p on two
    /// cores: 1.3 times as fast). Each thread holds a picture of its own, so large pictures get one for each core.
    static func count(for size: PixelSize) -> Int {
        let pixels = size.width * size.height, cores = max(1, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        if (1...largestForOne).contains(pixels) { return 1 }
        return pixels <= largestForTwice ? 2 * cores : cores
    }
}
