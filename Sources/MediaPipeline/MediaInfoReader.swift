import SystemCalls

/// Opens a file or address once and reads what its container says, on the thread "asset". Decodes nothing.
package final class MediaInfoReader: Sendable {
    private let opener: MediaOpener
    private let thread: NamedThread

    /// Starts reading.
    ///
    /// - Parameter answer: called once on the thread "asset". After ``interrupt()`` with an error, or not at all if the
    ///   thread hangs in a call that cannot be interrupted.
    /// - Throws: when there are no threads or descriptors left.
    package init(
        location: String, policy: OpenPolicy, answer: @escaping @Sendable (Result<MediaInfo, MediaError>) -> Void
    ) throws(SystemCallError) {
        LocalMediaSource.silenceFFmpeg
        let opener = try MediaOpener(policy: policy)
        self.opener = opener
        thread = try NamedThread("asset") { answer(Self.read(location, opener)) }
    }

    /// Makes reading end soon. Does not wait; idempotent.
    package func interrupt() { opener.interrupt() }

    deinit {
        interrupt()
        // The caller may be the main thread, and reading a name server or a file system may hang: the thread is joined
        // if it has ended. Otherwise it ends by itself; it owns everything that it uses.
        if !thread.join(until: MonotonicTime.now) { thread.leaveBehind() }
    }

    private static func read(_ location: String, _ opener: MediaOpener) -> Result<MediaInfo, MediaError> {
        defer { ProcessMemory.trimHeap() }
        do throws(MediaError) {
            let demuxer = try Demuxer(location: location, opener: opener, choice: TrackChoice(), readsOthers: false)
            guard demuxer.video != nil || demuxer.audio != nil else {
                throw MediaError(.notMedia, PacketReader.emptiness(of: demuxer.info))
            }
            return .success(demuxer.info)
        } catch { return .failure(error) }
    }
}
