import SharedFrames
import SwiftPlayKit

/// The properties of the rotation and the aspect ratio that the user sets.
extension PlayerProperty {
    static let picture: [PlayerProperty] = [
        PlayerProperty("video-rotate", .choice(["0", "90", "180", "270"]), isOption: true) {
            $0.player.pictureTransform.rotation.propertyValue
        } write: { context, value throws(IPCError) in
            guard let rotation = PictureTransform.Rotation(parsing: value.optionText) else { throw .propertyFormat }
            context.player.pictureTransform.rotation = rotation
        },
        PlayerProperty("video-aspect-override", .number(-1...10), isOption: true) {
            $0.player.pictureTransform.aspectRatio.propertyValue
        } write: { context, value throws(IPCError) in
            guard let ratio = PictureTransform.AspectRatio(parsing: value.optionText) else { throw .propertyFormat }
            context.player.pictureTransform.aspectRatio = ratio
        },
    ]
}

extension JSONValue {
    /// The text that would set an option to this value on the command line: whole numbers have no fraction.
    fileprivate var optionText: String {
        if case .double(let number) = self, let integer = Int(exactly: number) { return String(integer) }
        return propertyString
    }
}
