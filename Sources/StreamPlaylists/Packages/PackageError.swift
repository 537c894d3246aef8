/// The reason why a stream cannot be downloaded.
package enum PackageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A playlist is damaged or too large.
    case playlist(PlaylistError)
    /// The stream is live, or its end does not exist yet.
    case live
    /// The segments are protected by a method that requires a license.
    case protected
    /// A key or an initialization section is part of the playlist (`data:`).
    case embeddedData
    /// A playlist of segments was expected.
    case nested
    /// The stream has no segment.
    case empty
    /// The stream has more resources than the limit.
    case tooManyResources(limit: Int)
    /// The addresses of the resources are longer than the limit in bytes.
    case addressesTooLong(limit: Int)

    package var description: String {
        switch self {
        case .playlist(let error): "the playlist of the stream cannot be used: \(error)"
        case .live: "the stream is live: only complete streams can be downloaded. Try again after its end"
        case .protected: "the stream is protected (DRM): it can only be played by a player with a license"
        case .embeddedData: "the playlist contains a key or a header (data:), which cannot be downloaded"
        case .nested: "the stream lists a playlist of variants where a playlist of segments is required"
        case .empty: "the stream has no segments"
        case .tooManyResources(let limit): "the stream has more than \(limit) parts"
        case .addressesTooLong(let limit): "the addresses of the stream's parts are longer than \(limit) bytes"
        }
    }
}
