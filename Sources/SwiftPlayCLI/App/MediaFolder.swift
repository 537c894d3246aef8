import Glibc
import MediaPipeline
import SystemCalls

/// The media files in a folder and its subfolders.
enum MediaFolder {
    /// The kind of a file by its name.
    enum Kind: Equatable {
        /// Video or audio.
        case media
        case picture
    }

    /// The files that a scan has found.
    private struct Files {
        var media: [FilePath] = []
        var pictures: [FilePath] = []
        /// The number of names that the scan has read.
        var nameCount = 0
    }

    /// The maximum number of nested folders.
    private static let depthLimit = 16
    /// The maximum number of names that a scan reads.
    private static let nameLimit = 200_000

    /// The file name extensions of video and audio files.
    private static let mediaExtensions = Set(
        """
        3g2 3gp aac ac3 aif aiff amr ape asf au avi caf divx dsf dts dv eac3 f4v flac flv gxf h264 h265 hevc ivf m1v \
        m2t m2ts m2v m4a m4b m4v mka mkv mov mp2 mp3 mp4 mpa mpc mpe mpeg mpg mts mxf nut oga ogg ogm ogv opus qt ra \
        rm rmvb spx tak tta ts tta vob w64 wav weba webm wma wmv wv y4m
        """.split(separator: " ").map(String.init))
    /// The file name extensions of picture files.
    private static let pictureExtensions: Set<String> = [
        "avif", "bmp", "gif", "heic", "heif", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp",
    ]

    /// Returns the kind of a file by the extension of its name; nil if it is not a media file.
    static func kind(of name: [UInt8]) -> Kind? {
        guard let dotIndex = name.lastIndex(of: UInt8(ascii: ".")), dotIndex > 0 else { return nil }
        let fileExtension = String(decoding: name[(dotIndex + 1)...], as: UTF8.self).lowercased()
        return mediaExtensions.contains(fileExtension)
            ? .media : pictureExtensions.contains(fileExtension) ? .picture : nil
    }

    /// Returns the video and audio files in a folder and its subfolders, in natural order. If there are none, returns
    /// the pictures. Skips files and folders whose names begin with a dot. Returns nil if the folder cannot be read.
    ///
    /// - Parameter limit: The maximum number of files.
    static func files(in folder: FilePath, limit: Int) -> [FilePath]? {
        var files = Files()
        guard scan(folder, enclosing: [], &files) else { return nil }
        return Array((files.media.isEmpty ? files.pictures : files.media).prefix(limit))
    }

    /// Adds the files of a folder and of its subfolders.
    ///
    /// - Parameter enclosing: The folders that contain this one, without symbolic links.
    /// - Returns: False if the folder cannot be read.
    private static func scan(_ folder: FilePath, enclosing: [FilePath], _ files: inout Files) -> Bool {
        // A symbolic link may lead back to a folder that contains it.
        guard let resolvedFolder = folder.resolved, !enclosing.contains(resolvedFolder),
            enclosing.count < depthLimit, let names = folder.entryNames(limit: nameLimit - files.nameCount)
        else { return false }
        files.nameCount += names.count
        let separator = folder.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        for name in names.filter({ $0.first != UInt8(ascii: ".") }).sorted(by: NaturalOrder.precedes) {
            guard let path = FilePath(bytes: folder.bytes + separator + name) else { continue }
            var status = stat()
            guard path.withCString({ stat($0, &status) }) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if PackageFolder.playlist(of: path) == nil {
                    _ = scan(path, enclosing: enclosing + [resolvedFolder], &files)
                } else {
                    files.media.append(path)
                }
            } else if status.st_mode & S_IFMT == S_IFREG {
                switch kind(of: name) {
                case .media: files.media.append(path)
                case .picture: files.pictures.append(path)
                case nil: break
                }
            }
        }
        return true
    }
}
