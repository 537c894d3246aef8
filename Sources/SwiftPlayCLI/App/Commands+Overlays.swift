import SharedFrames
import Subtitles
import SwiftPlayKit

/// The command that draws text over the picture.
extension PlayerCommand {
    static let overlays: [PlayerCommand] = [
        PlayerCommand(
            "osd-overlay",
            "id:Integer64 format:Choice data:String res_x:Integer? res_y:Integer? z:Integer? hidden:Flag? "
                + "compute_bounds:Flag?"
        ) { target, arguments throws(IPCError) in
            let id = try arguments.integer(0), format = try arguments.text(1), text = try arguments.text(2)
            let width = try arguments.integer(3, default: 0)
            let height = try arguments.integer(4, default: TextOverlay.defaultScriptHeight)
            let entry = TextOverlays.Entry(
                client: arguments.client, id: id,
                overlay: TextOverlay(text: text, scriptSize: PixelSize(width: width, height: height)),
                z: try arguments.integer(5, default: 0), isHidden: try arguments.flag(6))
            let needsBounds = try arguments.flag(7)
            switch format {
            case "none": target.textOverlays.remove(client: entry.client, id: id)
            case "ass-events": guard target.textOverlays.set(entry) else { throw .outOfMemory }
            default: throw .invalidParameter
            }
            target.showTextOverlays()
            return needsBounds && format == "ass-events" ? target.bounds(of: entry.overlay) : [:]
        }
    ]
}

extension CommandArguments {
    /// Returns an argument that is on or off; false if it is omitted.
    ///
    /// - Throws: ``IPCError/invalidParameter`` for another value.
    fileprivate func flag(_ index: Int) throws(IPCError) -> Bool {
        guard values.indices.contains(index), values[index] != .null else { return false }
        do throws(IPCError) { return try values[index].propertyFlag() } catch { throw .invalidParameter }
    }
}

extension PlayerTarget {
    /// The size in which bounds are computed before a window opens.
    private static let fallbackSize = PixelSize(width: 1280, height: 720)

    /// Removes the texts that a client had drawn over the picture before it disconnected.
    func clientDidDisconnect(_ name: String) { if textOverlays.remove(client: name) { showTextOverlays() } }

    /// Draws the changed texts of the clients over the picture in the window.
    fileprivate func showTextOverlays() {
        runOnMainQueue { [weak self] app in
            app.viewController?.contentOverlay = { [weak self] width, height in
                guard let self else { return [] }
                return textOverlays.images(for: PixelSize(width: width, height: height)) { [weak self] in
                    self?.runOnMainQueue { $0.viewController?.updateContentOverlay() }
                }
            }
        }
    }

    /// Returns the rectangle that a text covers in the window as the command's result: an empty object if it shows
    /// nothing.
    fileprivate func bounds(of overlay: TextOverlay) -> JSONValue {
        let size = layer?.router.output?.windowOutput?.size ?? Self.fallbackSize
        guard let bounds = textOverlays.bounds(of: overlay, in: size.isEmpty ? Self.fallbackSize : size) else {
            return [:]
        }
        return [
            "x0": .double(bounds.x0), "y0": .double(bounds.y0), "x1": .double(bounds.x1), "y1": .double(bounds.y1),
        ]
    }
}
