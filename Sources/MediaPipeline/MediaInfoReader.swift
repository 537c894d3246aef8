import SystemCalls

/// Opens a file or address once and reads the container's information, on a thread of its own that is named "asset".
/// Decodes no packets for playback.
package final class MediaInfoReader: Sendable {
    private let source: ItemSource
    private let thread: NamedThread

    /// Starts to read the container's information.
    ///
    /// - Parameter completionHandler: Called once on the reading thread. After ``interrupt()`` the handler receives an
    ///   error. The handler is not called if the thread hangs in an uninterruptible system call.
    /// - Throws: ``SystemCallError`` if no thread or descriptor is available.
    package init(
        location: String, policy: OpenPolicy,
        completionHandler: @escaping @Sendable (Result<MediaInfo, MediaError>) -> Void
    ) throws(SystemCallError) {
        LocalMediaSource.silenceFFmpeg
        var configuration = MediaSourceConfiguration()
        (configuration.policy, configuration.readsOtherTracks) = (policy, false)
        let source = try ItemSource(location, configuration, demand: StreamDemand())
        self.source = source
        thread = try NamedThread("asset") { completionHandler(Self.read(source)) }
    }

    /// Requests that reading ends. Does not wait; idempotent.
    package func interrupt() { source.interrupt() }

    deinit {
        interrupt()
        // The caller may be the main thread, and a name server or a file system may hang. Join the thread only if it
        // has ended. Otherwise detach it: the thread retains everything that it uses.
        if !thread.join(until: MonotonicTime.now) { thread.detach() }
    }

    /// Opens the container and returns its information. Runs on the reading thread.
    private static func read(_ source: ItemSource) -> Result<MediaInfo, MediaError> {
        defer {
            source.close()
            HeapTuning.trimHeap()
        }
        do throws(MediaError) {
            let info = try source.open().info
            guard info.video != nil || info.audio != nil else {
                throw MediaError(.notMedia, PacketReader.noMediaMessage(for: info))
            }
            return .success(info)
        } catch { return .failure(error) }
    }
}
