import Dispatch
import MediaPipeline
import SwiftPlayKit

/// Screenshots: encoded and written on a background queue.
extension PlayerApp {
    /// The queue that encodes and writes screenshots.
    private static let screenshotQueue = DispatchQueue(label: "screenshots", qos: .utility)
    /// The largest number of screenshots that wait to be written.
    private static let waitingScreenshotLimit = 4

    /// Writes the visible picture to a new file.
    ///
    /// - Parameters:
    ///   - withSubtitles: Whether the file shows the subtitles.
    ///   - path: The path of the file, whose extension selects the format; nil for the name of `--screenshot-template`.
    func takeScreenshot(withSubtitles: Bool, path: String? = nil) {
        guard let item = player.currentItem, let capture = layer.prepareScreenshot(withSubtitles: withSubtitles) else {
            return report(screenshot: "there is no picture for a screenshot")
        }
        guard waitingScreenshotCount < Self.waitingScreenshotLimit else {
            return report(screenshot: "too many screenshots wait to be written")
        }
        waitingScreenshotCount += 1
        let settings = settings.screenshot
        let context = ScreenshotName.Context(location: item.location, time: player.currentTime().seconds)
        let folder = settings.directory.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
        let pathExtension = path?.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let format = path == nil ? settings.format : StillEncoder.Format(name: pathExtension) ?? .png
        Self.screenshotQueue.async { [weak self] in
            let result = Self.writeScreenshot(capture, format, hasNumber: path == nil && settings.name.hasNumber) {
                number in
                path ?? folder + settings.name.text(context, number: number) + "." + format.rawValue
            }
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    self?.waitingScreenshotCount -= 1
                    switch result {
                    case .success(let path): self?.show("Screenshot: '\(path)'")
                    case .failure(let failure): self?.report(screenshot: failure.message)
                    }
                }
            }
        }
    }

    /// Shows and logs a message about a screenshot that was not written.
    private func report(screenshot message: String) {
        logger.error("\(message)")
        show("Error: " + message)
    }

    /// Copies, encodes and writes the picture.
    nonisolated private static func writeScreenshot(
        _ capture: () -> Screenshot?, _ format: StillEncoder.Format, hasNumber: Bool, names: (Int) -> String
    ) -> Result<String, ScreenshotFile.Failure> {
        guard let picture = capture() else {
            return .failure(ScreenshotFile.Failure(message: "the format of the picture cannot be converted"))
        }
        let bytes: [UInt8]
        do throws(MediaError) {
            bytes = try StillEncoder.encode(picture.pixels, width: picture.width, height: picture.height, as: format)
        } catch { return .failure(ScreenshotFile.Failure(message: error.message)) }
        do throws(ScreenshotFile.Failure) {
            return .success(try ScreenshotFile.write(bytes, hasNumber: hasNumber, names: names))
        } catch { return .failure(error) }
    }
}
