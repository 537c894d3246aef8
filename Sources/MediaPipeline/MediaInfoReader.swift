import SystemCalls

/// Opens a file or address once and reads the container's information, on the thread "asset". Decodes no packets for
/// playback.
package final class MediaInfoReader: Sendable {
    private let opener: MediaOpener
    private let thread: NamedThread

    /// Starts to read the container's information.
    ///
    /// - Parameter completionHandler: Called once on the thread "asset". After ``interrupt()`` the handler receives an
    ///   error. The handler is not called if the thread hangs in an uninterruptible system call.
    /// - Throws: ``SystemCallError`` if no thread or descriptor is available.
    package init(
        location: String, policy: OpenPolicy,
        completionHandler: @escaping @Sendable (Result<MediaInfo, MediaError>) -> Void
    ) throws(SystemCallError) {
        LocalMediaSource.silenceFFmpeg
        let opener = try MediaOpener(policy: policy)
        self.opener = opener
        thread = try NamedThread("asset") { completionHandler(Self.read(location, opener)) }
    }

    /// Requests that reading ends. Does not wait; idempotent.
    package func interrupt() { opener.interrupt() }

    deinit {
        interrupt()
        // The caller may be the main thread, and a name server or a file system may hang. Join the thread only if it
        // has ended. Otherwise detach it: the thread retains everything that it uses.
        if !thread.join(until: MonotonicTime.now) { thread.detach() }
    }

    /// Opens the container and returns its information. Runs on the thread "asset".
    private static func read(_ location: String, _ opener: MediaOpener) -> Result<MediaInfo, MediaError> {
        defer { HeapTuning.trimHeap() }
        do throws(MediaError) {
            let demuxer = try Demuxer(location: location, opener: opener, choice: TrackChoice(), readsOthers: false)
            guard demuxer.video != nil || demuxer.audio != nil else {
                throw MediaError(.notMedia, PacketReader.noMediaMessage(for: demuxer.info))
            }
            return .success(demuxer.info)
        } catch { return .failure(error) }
    }
}
