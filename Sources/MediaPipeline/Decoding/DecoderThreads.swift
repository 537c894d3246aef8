import Glibc
import SharedFrames
import SystemCalls

/// Chooses the number of FFmpeg's decoding threads for a video track.
enum DecoderThreads {
    /// The maximum number of pixels of a picture that a single thread decodes.
    private static let singleThreadPixelLimit = 352 * 288
    /// The maximum number of pixels of a picture that two threads per processor core decode.
    private static let twoThreadsPerCorePixelLimit = 1280 * 720
    /// The maximum number of pixels of a picture that a single thread decodes for a program that is in the background
    /// or short of memory, or if one thread suffices: 1080p, whose coded height is 1088.
    private static let onePreferredThreadPixelLimit = 1920 * 1088
    /// The number of processor cores, at most 8. Read once, because the C library reads a file for it.
    private static let coreCount = max(1, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

    /// Returns the number of threads for pictures of a given size. An empty size means that the size is not known yet.
    ///
    /// One thread decodes the smallest pictures faster than several threads, because handing pictures between threads
    /// takes time. Small pictures use two threads per core, because each thread waits for pictures of other threads
    /// (720p on two cores: 1.3 times as fast). Each thread holds a picture in memory, so large pictures use one thread
    /// per core.
    ///
    /// With a limit, the program is in the background or memory is short. Then one thread decodes pictures up to 1080p:
    /// each further thread holds a picture and its tables, 6 MB at 1080p.
    ///
    /// - Parameters:
    ///   - limit: The largest number of threads, at least 1; nil for no limit.
    ///   - prefersOneThread: Whether one thread decodes pictures up to 1080p also without a limit.
    ///   - isOneThreadTooSlow: Whether one thread has not decoded this track fast enough.
    static func count(
        for size: PixelSize, limit: Int? = nil, prefersOneThread: Bool = false, isOneThreadTooSlow: Bool = false
    ) -> Int {
        let isOneThreadEnough = (limit != nil || prefersOneThread) && !isOneThreadTooSlow
        if isOneThreadEnough, (1...onePreferredThreadPixelLimit).contains(size.width * size.height) { return 1 }
        return max(1, min(limit ?? .max, unlimitedCount(for: size)))
    }

    /// Whether several threads decode one picture of a track that permits it, instead of a picture each.
    ///
    /// A picture of 4K and its tables take 19 MB. Two threads that share a picture need 7 % more processor time and
    /// 5 % more time than threads with their own pictures.
    ///
    /// - Parameter hasWavefronts: Whether the track permits it (``WavefrontCoding``).
    static func dividesPictures(of size: PixelSize, hasWavefronts: Bool) -> Bool {
        hasWavefronts && size.width * size.height > onePreferredThreadPixelLimit
    }

    /// Returns the number of threads for pictures of a given size, regardless of the caller's limit.
    private static func unlimitedCount(for size: PixelSize) -> Int {
        let pixels = size.width * size.height
        if (1...singleThreadPixelLimit).contains(pixels) { return 1 }
        return pixels <= twoThreadsPerCorePixelLimit ? 2 * coreCount : coreCount
    }
}

/// The threads of a video decoder.
struct DecoderThreading: Equatable {
    let count: Int
    /// The priority of FFmpeg's threads; nil for the priority of the thread that feeds them.
    var priority: ThreadPriority?
    /// Whether all threads decode parts of one picture, if its coding permits it; otherwise each decodes a picture.
    var dividesPictures = false
}
