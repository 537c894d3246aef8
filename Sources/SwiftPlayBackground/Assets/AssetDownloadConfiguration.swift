import BackgroundProtocol
import FoundationEssentials
import Glibc
import SystemCalls

/// The stream that a package contains, and the parts of the stream.
public struct AssetDownloadConfiguration: Sendable, Equatable {
    /// The address of the stream: an HLS playlist, with the scheme `http` or `https`.
    public var url: URL
    /// The title, which becomes the name of the package's folder. If it is empty, the name comes from the address.
    public var title: String
    /// The largest height of the pictures in pixels, such as 720; 0 for the best quality. The height of a portrait film
    /// is its shorter side.
    public var maximumPresentationHeight = 0
    /// The largest bit rate in bits per second; 0 for the best quality.
    public var maximumBitRate = 0
    /// The languages of the audio, such as `de` or `pt-BR`; empty for the default audio of the stream.
    public var audioLanguages: [String] = []
    /// The languages of the subtitles; empty for no subtitles.
    public var subtitleLanguages: [String] = []
    /// The folder in which the package is created; nil for a folder of the user's data, below `$XDG_DATA_HOME`.
    public var destinationDirectory: URL?
    /// The header fields of the requests. Fields with secrets are sent only to the host of ``url``.
    public var httpHeaderFields: [String: String] = [:]

    /// Creates a configuration for the best quality with the default audio.
    public init(url: URL, title: String) { (self.url, self.title) = (url, title) }

    /// The request for the playlist of the stream.
    var request: BackgroundURLRequest {
        var request = BackgroundURLRequest(url: url)
        for (name, value) in httpHeaderFields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// The parts of the stream for the service. Values out of range are clamped.
    var wirePreferences: StreamPreferences {
        var preferences = StreamPreferences()
        preferences.maximumHeight = UInt32(clamping: maximumPresentationHeight)
        preferences.maximumBitRate = UInt64(clamping: maximumBitRate)
        (preferences.audioLanguages, preferences.subtitleLanguages) = (audioLanguages, subtitleLanguages)
        return preferences
    }

    /// The name of the folder, cut to the length that the service accepts.
    var fileName: String {
        var name = title
        while name.utf8.count > ClientLimits.nameBytes { name.removeLast() }
        return name
    }

    /// Opens the folder in which the package is created.
    func directory() throws(SystemCallError) -> SharedDescriptor {
        let path = destinationDirectory?.path ?? BackgroundAddress.packageDirectory
        if destinationDirectory == nil { _ = try DirectoryDescriptor.create(path) }
        return SharedDescriptor(try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY))
    }
}
