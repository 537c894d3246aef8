import SystemCalls

/// A reader of a whole small file or resource, such as a playlist, on a separate thread named "reader".
package final class LocationReader: Sendable {
    /// The content of a file or resource.
    package struct Content: Sendable {
        package let bytes: [UInt8]
        /// The location that was read; the address after redirects for a network address.
        package let location: String
    }

    /// The number of bytes at the start that are read before the decision whether to read the rest.
    package static let startByteCount = 4096

    private let opener: MediaOpener
    private let thread: NamedThread

    /// Starts to read.
    ///
    /// - Parameters:
    ///   - location: A path, an address, or `-` for standard input.
    ///   - limit: The maximum size in bytes.
    ///   - isWanted: Returns whether to read the rest, given the first bytes. Called on the reading thread.
    ///   - completionHandler: Called once on the reading thread, with nil if the content is not wanted. After
    ///     ``interrupt()`` the handler receives an error. The handler is not called if the thread hangs in an
    ///     uninterruptible system call.
    /// - Throws: ``SystemCallError`` if no thread or descriptor is available.
    package init(
        location: String, policy: OpenPolicy, limit: Int, isWanted: @escaping @Sendable ([UInt8]) -> Bool,
        completionHandler: @escaping @Sendable (Result<Content?, MediaError>) -> Void
    ) throws(SystemCallError) {
        LocalMediaSource.silenceFFmpeg
        let opener = try MediaOpener(policy: policy)
        self.opener = opener
        thread = try NamedThread("reader") {
            do throws(MediaError) {
                let content = try opener.readRoot(location, limit: limit, isWanted: isWanted)
                completionHandler(.success(content.map { Content(bytes: $0.bytes, location: $0.address ?? location) }))
            } catch { completionHandler(.failure(error)) }
        }
    }

    /// Requests that reading ends. Does not wait; idempotent.
    package func interrupt() { opener.interrupt() }

    deinit {
        interrupt()
        // The caller may be the main thread, and a name server or a file system may hang. Join the thread only if it
        // has ended. Otherwise detach it: the thread retains everything that it uses.
        if !thread.join(until: MonotonicTime.now) { thread.detach() }
    }
}
