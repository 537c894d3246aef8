import SharedFrames
import WireFormat

/// A message of a program about the picture that the overview shows of it. Since version 3 of the interface `programs`.
package enum SnapshotMessage: Equatable, Sendable {
    /// The identifier under which the picture is kept; without this message, the name in `hello`.
    case identifier(String)
    /// The program has completed work in the background, so that its picture may have changed.
    case completedWork
    /// The picture, in answer to ``ServerMessage/snapshotRequested``. A memory file with its pixels comes with the
    /// message. The compositor checks the shape, and ignores a picture that it did not request.
    case picture(SnapshotShape, title: String)
    /// Whether the picture must not be shown. The compositor deletes the picture at once.
    case isPrivate(Bool)
    /// The picture must not be shown any more once the program is started again.
    case ignoreOnNextLaunch
    /// The picture is outdated, and there is no new one.
    case remove
}

/// The size of a picture and of its rows, as a program states them. The values are a claim: see ``layout``.
package struct SnapshotShape: Equatable, Sendable {
    /// The largest width and height, in pixels.
    package static let maximumLength = 512
    /// The most bytes that a row may have beyond its pixels.
    package static let maximumRowPadding = 256
    /// The largest size of the memory file: the pixels, and the rest of the last page.
    package static let maximumFileSize = maximumLength * (maximumLength * 4 + maximumRowPadding) + 65_536

    /// The width and the height in pixels. Each pixel has four bytes: blue, green, red and an unused byte.
    package var width: UInt32, height: UInt32
    /// The distance between two rows, in bytes.
    package var stride: UInt32

    /// Creates a shape without checking it.
    package init(width: UInt32, height: UInt32, stride: UInt32) {
        (self.width, self.height, self.stride) = (width, height, stride)
    }

    /// A shape whose values are within their limits.
    package struct Layout: Equatable, Sendable {
        package let size: PixelSize
        package let stride: Int
        /// The number of bytes from the first to the last pixel.
        package var requiredSize: Int { stride * (size.height - 1) + size.width * 4 }
    }

    /// The shape with values that are within their limits; nil if a value is not.
    package var layout: Layout? {
        let lengths: ClosedRange<UInt32> = 1...UInt32(Self.maximumLength)
        guard lengths.contains(width), lengths.contains(height), stride % 4 == 0,
            (width * 4...width * 4 + UInt32(Self.maximumRowPadding)).contains(stride)
        else { return nil }
        return Layout(size: PixelSize(width: Int(width), height: Int(height)), stride: Int(stride))
    }

    /// Returns the size of a picture that is reduced to the largest length, with the same proportions.
    package static func size(reducing size: PixelSize) -> PixelSize {
        let longEdge = max(size.width, size.height)
        guard longEdge > maximumLength else { return size }
        return PixelSize(
            width: max(1, size.width * maximumLength / longEdge), height: max(1, size.height * maximumLength / longEdge)
        )
    }
}

/// Under which identifier a connected program's picture is kept, for lists that are shown to users.
package struct ProgramPicture: Equatable, Sendable {
    /// The process ID; 0 for a process of another PID namespace.
    package var processID: Int32
    /// The identifier under which the picture is kept.
    package var identifier: String
    /// Whether the program hides its picture.
    package var isPrivate: Bool

    package init(processID: Int32, identifier: String, isPrivate: Bool) {
        (self.processID, self.identifier, self.isPrivate) = (processID, identifier, isPrivate)
    }
}

extension ProgramPicture {
    /// Appends the values to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(processID)
        writer.write(identifier)
        writer.write(isPrivate)
    }

    /// Reads the values from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(processID: try reader.read(), identifier: try reader.read(), isPrivate: try reader.read())
    }
}

extension SnapshotMessage {
    /// Appends the message's number and values.
    func write(to writer: inout MessageWriter) {
        switch self {
        case .identifier(let identifier):
            writer.write(UInt8(1))
            writer.write(identifier)
        case .completedWork: writer.write(UInt8(2))
        case .picture(let shape, let title):
            writer.write(UInt8(3))
            writer.write(shape.width)
            writer.write(shape.height)
            writer.write(shape.stride)
            writer.write(title)
        case .isPrivate(let isPrivate):
            writer.write(UInt8(4))
            writer.write(isPrivate)
        case .ignoreOnNextLaunch: writer.write(UInt8(5))
        case .remove: writer.write(UInt8(6))
        }
    }

    /// Reads the message's number and values.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1: self = .identifier(try reader.read())
        case 2: self = .completedWork
        case 3:
            let shape = SnapshotShape(width: try reader.read(), height: try reader.read(), stride: try reader.read())
            self = .picture(shape, title: try reader.read())
        case 4: self = .isPrivate(try reader.read())
        case 5: self = .ignoreOnNextLaunch
        case 6: self = .remove
        default: throw MalformedMessage("an unknown message about a picture", isUnknown: true)
        }
    }
}
