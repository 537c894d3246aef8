import FoundationEssentials
import MediaPipeline

/// A file or address, and what its container says (AVAsset, AVURLAsset). Any thread.
///
/// A property is loaded when it is requested. The file is opened once, off the caller's thread, by the first request or
/// by a player that plays an item of the asset; requests at the same time share that opening. Several items and an
/// ``ImageGenerator`` can share one asset. A request that failed is not repeated: make a new asset to try again.
public final class Asset: Sendable {
    /// A path, or an http or https address.
    public let location: String
    /// The certificates of https servers that are accepted; nil: the setting of the player that plays the asset, and
    /// ``TLSVerification/systemRoots`` without a player.
    public let tlsVerification: TLSVerification?
    private let loader: AssetLoader

    /// Makes an asset. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - location: a path, or an http or https address.
    ///   - tlsVerification: see ``tlsVerification``.
    public init(location: String, tlsVerification: TLSVerification? = nil) {
        self.location = location
        self.tlsVerification = tlsVerification
        var policy = OpenPolicy()
        if let tlsVerification { policy.tls = tlsVerification.trust }
        loader = AssetLoader(location: location, policy: policy)
    }

    /// Creates an asset for a file or an http or https address. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - url: A file URL, or an http or https URL.
    ///   - tlsVerification: See ``tlsVerification``.
    public convenience init(url: URL, tlsVerification: TLSVerification? = nil) {
        self.init(location: url.isFileURL ? url.path : url.absoluteString, tlsVerification: tlsVerification)
    }

    deinit { loader.cancel() }

    /// Loads a property: `try await asset.load(.duration)`.
    ///
    /// Does not block a thread. An address that does not answer for 15 s fails; a pipe or a file system that does not
    /// answer is waited for until the task is cancelled. Opening stops when all tasks that wait for it are cancelled.
    ///
    /// - Throws: ``PlaybackError`` when the file cannot be opened; `CancellationError` when the task was cancelled or
    ///   ``cancelLoading()`` was called.
    public func load<Value>(_ property: AssetProperty<Value>) async throws -> Value {
        property.value(try await loader.info())
    }

    /// Loads several properties: `let (duration, tracks) = try await asset.load(.duration, .tracks)`.
    ///
    /// - Throws: as the form for one property.
    public func load<First, Second, each Other>(
        _ first: AssetProperty<First>, _ second: AssetProperty<Second>, _ other: repeat AssetProperty<each Other>
    ) async throws -> (First, Second, repeat each Other) {
        let info = try await loader.info()
        return (first.value(info), second.value(info), repeat (each other).value(info))
    }

    /// Loads the tracks of one kind.
    ///
    /// - Throws: as ``load(_:)``.
    public func loadTracks(withMediaType type: MediaType) async throws -> [AssetTrack] {
        try await load(.tracks).filter { $0.mediaType == type }
    }

    /// Returns how far loading a property is. Starts nothing.
    public func status<Value>(of property: AssetProperty<Value>) -> AssetProperty<Value>.Status {
        switch loader.progress {
        case .notYetLoaded: .notYetLoaded
        case .loading: .loading
        case .loaded(let info): .loaded(property.value(info))
        case .failed(let error): .failed(error)
        }
    }

    /// Cancels all requests under way: they throw `CancellationError`. Later requests open the file anew.
    public func cancelLoading() { loader.cancel() }

    // MARK: for players and image generators

    /// Accepts what a player or an image generator read when it opened the file.
    func provide(_ info: MediaInfo) { loader.provide(info) }

    /// Returns the policy behind which the asset is opened by somebody whose own policy is `standard`.
    func policy(default standard: OpenPolicy) -> OpenPolicy {
        var policy = standard
        if let tlsVerification { policy.tls = tlsVerification.trust }
        return policy
    }
}
