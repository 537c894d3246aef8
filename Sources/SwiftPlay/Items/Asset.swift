import FoundationEssentials
import MediaPipeline

/// A media file or address, and the properties of its container (AVAsset, AVURLAsset). Safe to use from any thread.
///
/// The asset loads a property when a program requests it. The file is opened once, on another thread, by the first
/// request or by a player of an item of the asset. Several items and an ``ImageGenerator`` can share one asset. A
/// failed request is not repeated: create a new asset to try again.
public final class Asset: Sendable {
    /// A path, or an http or https address. A path that is not UTF-8 is a `file:` URL with percent-encoded bytes.
    public let location: String
    /// ``location`` as text for people.
    package var displayedLocation: String { MediaLocation.displayed(location) }
    /// The certificates of https servers that are accepted; nil for the setting of the player that plays the asset, or
    /// ``TLSVerification/systemRoots`` without a player.
    public let tlsVerification: TLSVerification?
    /// The settings for requests to http and https addresses; nil for the setting of the player that plays the asset.
    public let http: HTTPConfiguration?
    /// Opens the file once for all requests.
    private let loader: AssetLoader

    /// Creates an asset. Does not open the file yet.
    ///
    /// - Parameters:
    ///   - location: A path, a file URL, or an http or https address.
    ///   - tlsVerification: See ``tlsVerification``.
    ///   - http: See ``http``.
    public init(location: String, tlsVerification: TLSVerification? = nil, http: HTTPConfiguration? = nil) {
        self.location = location
        (self.tlsVerification, self.http) = (tlsVerification, http)
        var policy = OpenPolicy()
        if let tlsVerification { policy.http.trust = tlsVerification.trust }
        http?.apply(to: &policy.http)
        loader = AssetLoader(location: location, policy: policy)
    }

    /// Creates an asset for a file or an http or https address. Does not open the file or address yet.
    ///
    /// - Parameters:
    ///   - url: A file URL, or an http or https URL.
    ///   - tlsVerification: See ``tlsVerification``.
    ///   - http: See ``http``.
    public convenience init(url: URL, tlsVerification: TLSVerification? = nil, http: HTTPConfiguration? = nil) {
        self.init(location: Self.location(of: url), tlsVerification: tlsVerification, http: http)
    }

    /// Returns the location of a URL. The path of a file URL may be percent-encoded bytes that are not UTF-8.
    static func location(of url: URL) -> String {
        guard url.isFileURL else { return url.absoluteString }
        return MediaLocation.location(written: Array("file://\(url.absoluteURL.path(percentEncoded: true))".utf8))
    }

    deinit { loader.cancel() }

    /// Loads a property (AVAsynchronousKeyValueLoading.load(_:)): `try await asset.load(.duration)`.
    ///
    /// Does not block a thread. A request to a server fails after 15 s without an answer. A request to a pipe or a file
    /// system waits until its task is cancelled. Opening stops when all tasks that wait for it are cancelled.
    ///
    /// - Parameter property: The property.
    /// - Returns: The value.
    /// - Throws: ``PlaybackError`` if the file cannot be opened; `CancellationError` if the task was cancelled or
    ///   ``cancelLoading()`` was called.
    public func load<Value>(_ property: AssetProperty<Value>) async throws -> Value {
        property.value(try await loader.mediaInfo())
    }

    /// Loads several properties: `let (duration, tracks) = try await asset.load(.duration, .tracks)`.
    ///
    /// - Parameters:
    ///   - first: The first property.
    ///   - second: The second property.
    ///   - other: Further properties.
    /// - Returns: The values, in the order of the properties.
    /// - Throws: The errors of ``load(_:)``.
    public func load<First, Second, each Other>(
        _ first: AssetProperty<First>, _ second: AssetProperty<Second>, _ other: repeat AssetProperty<each Other>
    ) async throws -> (First, Second, repeat each Other) {
        let info = try await loader.mediaInfo()
        return (first.value(info), second.value(info), repeat (each other).value(info))
    }

    /// Loads the tracks of one kind (AVAsset.loadTracks(withMediaType:)).
    ///
    /// - Parameter type: The kind.
    /// - Returns: The tracks, in the order of the container.
    /// - Throws: The errors of ``load(_:)``.
    public func loadTracks(withMediaType type: MediaType) async throws -> [AssetTrack] {
        try await load(.tracks).filter { $0.mediaType == type }
    }

    /// Returns the progress of loading a property (AVAsynchronousKeyValueLoading.status(of:)). Does not start loading.
    ///
    /// - Parameter property: The property.
    /// - Returns: The progress, with the value or the error if loading has ended.
    public func status<Value>(of property: AssetProperty<Value>) -> AssetProperty<Value>.Status {
        switch loader.progress {
        case .notYetLoaded: .notYetLoaded
        case .loading: .loading
        case .loaded(let info): .loaded(property.value(info))
        case .failed(let error): .failed(error)
        }
    }

    /// Cancels all requests that are under way (AVAsset.cancelLoading()): they throw `CancellationError`. Later
    /// requests open the file again.
    public func cancelLoading() { loader.cancel() }

    // MARK: For players and image generators

    /// Stores the properties that a player or an image generator read when it opened the file.
    func provide(_ info: MediaInfo) { loader.provide(info) }

    /// Returns the policy for opening the asset: a copy of `defaultPolicy` in which the asset's own settings replace
    /// the default settings.
    func policy(default defaultPolicy: OpenPolicy) -> OpenPolicy {
        var policy = defaultPolicy
        if let tlsVerification { policy.http.trust = tlsVerification.trust }
        http?.apply(to: &policy.http)
        return policy
    }
}
