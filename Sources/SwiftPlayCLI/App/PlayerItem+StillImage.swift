import SwiftPlayKit

extension PlayerItem {
    /// Ends of the names of still images.
    private static let imageExtensions: Set<String> = [
        "bmp", "jpeg", "jpg", "jxl", "pbm", "pgm", "png", "ppm", "tga", "tif", "tiff", "webp",
    ]

    /// Whether the item is a still image. Before the item is open, its name decides.
    var isStillImage: Bool {
        if let container = containerInfo?.container {
            return container.hasSuffix("_pipe") || container == "image2"
        }
        let name = location.lowercased().split(separator: ".")
        return name.count > 1 && name.last.map { Self.imageExtensions.contains(String($0)) } == true
    }
}

extension Player {
    /// Whether the current item is a still image that has been played to its end. The rate of the player is 0 then, but
    /// the program shows the image for the rest of its time (``HeldImage``).
    var isAtEndOfStillImage: Bool { isAtEnd && currentItem?.isStillImage == true }
}
